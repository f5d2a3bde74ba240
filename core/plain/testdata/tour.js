// ---
// title: A tour
// jupyter:
//   jupytext:
//     text_representation:
//       extension: .js
//       format_name: percent
//   kernelspec:
//     display_name: Python 3
//     language: python
//     name: python3
// ---

// %% [markdown]
// # A tour
//
// of *everything*:
//
// \%% is no marker

// %% language="python" quire={"language": "python"} tags=["parameters"]
// n = 3
// who = "ada"

// %% jupyter={"source_hidden": true} language="python" quire={"language": "python"}
// %matplotlib inline
// files = !ls
// # %time is a comment
// text = """
// %s
// """
//
// # %% not a cell

// %% The first [markdown]
// First.

// %% [markdown]
// Second, with code:
//
// ```python
// x
// ```

// %% language="python" quire={"language": "python"}
// %%bash
// ls
//
// pwd

// %% language="r" quire={"language": "r"}
// x <- 1

// %% language="sql" quire={"kind": "sql", "language": "duckdb"}
// select *
// from t

// %% [markdown] quire={"kind": "ai"}
// Explain `t`.

// %% [raw] raw_mimetype="text/latex"
// \newpage

// %% language="python" quire={"language": "python"}
// x
//
//

// %% language="python" quire={"language": "python"}
