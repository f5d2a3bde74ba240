package ipynb

import (
	"encoding/json"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// manners say what generated files may contain.
type manners int

const (
	valid manners = iota // as the schema of their minor version allows
	wild                 // also what occurs in files nevertheless
)

// genFile generates files of nbformat 4.
func genFile(m manners) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		minor := rapid.SampledFrom([]int{0, 1, 2, 4, 5, 5, 5}).Draw(t, "minor")
		root := map[string]any{"nbformat": 4, "nbformat_minor": minor, "metadata": genNotebookMetadata(m).Draw(t, "metadata")}
		cells := make([]any, rapid.IntRange(0, 5).Draw(t, "cells"))
		for i := range cells {
			c := genCell(m).Draw(t, "cell")
			switch {
			case minor == 5 && m == valid:
				c["id"] = "cell-" + strconv.Itoa(i)
			case m == wild:
				maybe(t, c, "id", rapid.SampledFrom([]any{"a", "b", "a b", "", nil, 3, strings.Repeat("i", 65)}))
			}
			cells[i] = c
		}
		root["cells"] = cells
		if m == wild {
			spoil(t, root, "metadata")
		}
		data, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	})
}

func genCell(m manners) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		types := []string{"code", "code", "markdown", "raw"}
		if m == wild {
			types = append(types, "heading", "quire")
		}
		c := map[string]any{"cell_type": rapid.SampledFrom(types).Draw(t, "type")}
		c["source"] = genText().Draw(t, "source")
		c["metadata"] = genCellMetadata(m).Draw(t, "metadata")
		if c["cell_type"] == "code" {
			c["execution_count"] = genCount().Draw(t, "count")
			c["outputs"] = rapid.SliceOfN(genOutput(m), 0, 4).Draw(t, "outputs")
		} else {
			maybe(t, c, "attachments", rapid.MapOfN(genName(), genBundle(m), 0, 2))
		}
		if m == wild {
			spoil(t, c, "source", "metadata", "execution_count", "outputs")
		}
		return c
	})
}

func genOutput(m manners) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		types := []string{"stream", "display_data", "execute_result", "error"}
		if m == wild {
			types = append(types, "update", "stream2")
		}
		o := map[string]any{"output_type": rapid.SampledFrom(types).Draw(t, "type")}
		switch o["output_type"] {
		case "stream":
			o["name"] = rapid.SampledFrom([]string{"stdout", "stderr", "trace"}).Draw(t, "name")
			o["text"] = genText().Draw(t, "text")
		case "error":
			o["ename"], o["evalue"] = genString().Draw(t, "ename"), genString().Draw(t, "evalue")
			o["traceback"] = rapid.SliceOfN(genString(), 0, 3).Draw(t, "traceback")
		case "execute_result":
			o["execution_count"] = genCount().Draw(t, "count")
			fallthrough
		default:
			o["data"], o["metadata"] = genBundle(m).Draw(t, "data"), genOutputMetadata().Draw(t, "metadata")
		}
		if m == wild {
			maybe(t, o, "transient", rapid.Just[any](map[string]any{"display_id": "d"}))
			spoil(t, o, "name", "text", "ename", "traceback", "data", "metadata", "execution_count")
		}
		return o
	})
}

// spoil removes members, makes them null, and adds an unknown one.
func spoil(t *rapid.T, m map[string]any, keys ...string) {
	for _, key := range keys {
		switch rapid.IntRange(0, 12).Draw(t, "spoil") {
		case 0:
			delete(m, key)
		case 1:
			m[key] = nil
		}
	}
	maybe(t, m, "prompt", genJSON())
}

func maybe[V any](t *rapid.T, m map[string]any, key string, g *rapid.Generator[V]) {
	if rapid.IntRange(0, 3).Draw(t, "has "+key) == 0 {
		m[key] = g.Draw(t, key)
	}
}

func genNotebookMetadata(m manners) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		md := genMetadata(m).Draw(t, "others")
		maybe(t, md, "kernelspec", rapid.Just[any](map[string]any{"name": "python3", "display_name": "Python 3"}))
		maybe(t, md, "language_info", rapid.Just[any](map[string]any{"name": "python", "version": "3.12"}))
		maybe(t, md, "title", genString())
		if m == wild {
			maybe(t, md, "signature", genString())
			maybe(t, md, "orig_nbformat", rapid.Just(3))
		}
		return md
	})
}

func genCellMetadata(m manners) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		md := genMetadata(m).Draw(t, "others")
		maybe(t, md, "tags", rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b b", "é"}), 0, 3, rapid.ID[string]))
		maybe(t, md, "collapsed", rapid.Bool())
		maybe(t, md, "jupyter", genFlags("source_hidden", "outputs_hidden"))
		maybe(t, md, "quire", genFlags("hideContext"))
		if ours := mapOf(md["quire"]); ours != nil {
			maybe(t, ours, "kind", rapid.SampledFrom([]string{"ai", "sql", "code", "else"}))
			maybe(t, ours, "language", genString())
		}
		languages := rapid.SampledFrom([]any{"ruby", "R", "python3", "cobol", "", 1, nil})
		maybe(t, md, "vscode", rapid.MapOfN(rapid.SampledFrom([]string{"languageId", "other"}), languages, 0, 2))
		maybe(t, md, "polyglot_notebook", rapid.MapOfN(rapid.SampledFrom([]string{"kernelName", "other"}), languages, 0, 2))
		maybe(t, md, "kernel", languages)
		if m == wild {
			maybe(t, md, "trusted", rapid.Bool())
			maybe(t, md, "quire", genJSON())
			maybe(t, md, "jupyter", genJSON())
		}
		return md
	})
}

func genFlags(keys ...string) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		flags := map[string]any{}
		for _, key := range append(keys, "other") {
			maybe(t, flags, key, rapid.Bool())
		}
		return flags
	})
}

func genOutputMetadata() *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		md := genMetadata(wild).Draw(t, "others")
		maybe(t, md, "quire", rapid.Just[any](map[string]any{"kind": "markdown"}))
		return md
	})
}

// genMetadata generates metadata with keys without a meaning.
func genMetadata(m manners) *rapid.Generator[map[string]any] {
	keys := []string{"x", "été", "a.b", "ipynb", "execution_count"}
	if m == wild {
		keys = append(keys, "", strings.Repeat("k", 257))
	}
	return rapid.MapOfN(rapid.SampledFrom(keys), genJSON(), 0, 3)
}

func genBundle(m manners) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		bundle := map[string]any{}
		for _, mime := range []string{"text/plain", "text/markdown", "image/svg+xml", "image/png", "application/x-own"} {
			maybe(t, bundle, mime, genText())
		}
		for _, mime := range []string{"application/json", "application/vnd.own.v1+json"} {
			maybe(t, bundle, mime, genJSON())
		}
		if m == wild {
			maybe(t, bundle, "text/html", genJSON())
		}
		return bundle
	})
}

// genText generates a text as one string, or cut at random.
func genText() *rapid.Generator[any] {
	return rapid.OneOf(genString().AsAny(), rapid.SliceOfN(genString(), 0, 3).AsAny())
}

func genString() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab \n\n\r\t\v\f\b\x00\x1b\x1c\x7f\u0085\u2028\ufeff\ufffd\"\\/<&>é日🌍")), 0, 12, -1)
}

func genName() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"a.png", "zwei teile.svg", "", "日"})
}

func genCount() *rapid.Generator[any] {
	return rapid.SampledFrom([]any{nil, 0, 1, 42, 1<<53 - 1})
}

// genJSON generates values of any kind.
func genJSON() *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.SampledFrom([]any{nil, true, false, json.Number("-1.50"), json.Number("1e400"), json.Number("12345678901234567890")}),
		genString().AsAny(),
	)
	flat := rapid.OneOf(leaf, rapid.SliceOfN(leaf, 0, 2).AsAny(), rapid.MapOfN(genName(), leaf, 0, 2).AsAny())
	return rapid.OneOf(leaf, rapid.SliceOfN(flat, 0, 2).AsAny(), rapid.MapOfN(genName(), flat, 0, 2).AsAny())
}
