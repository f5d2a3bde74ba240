package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"time"
)

// programs are the programs that are measured in a language, and the command line that executes one without Quire.
type programs struct {
	language            string
	result, loop, lines string // a value, two million steps, and a hundred thousand lines
	forever             string
	bare                []string // the program follows; nil if there is no such command
}

// languagePrograms has the programs of each language.
func languagePrograms() []programs {
	return []programs{
		{
			"python", "1", "s = 0\nfor i in range(2000000): s += i\nprint(s)", "for i in range(100000): print('a line of text', i)",
			"while True: pass",
			[]string{"python3", "-c"},
		},
		{
			"javascript", "1", "let s = 0; for (let i = 0; i < 2000000; i++) s += i; console.log(s)",
			"for (let i = 0; i < 100000; i++) console.log('a line of text', i)", "while (true) {}",
			[]string{"node", "-e"},
		},
		{
			"typescript", "1", "let s: number = 0; for (let i = 0; i < 2000000; i++) s += i; console.log(s)",
			"for (let i = 0; i < 100000; i++) console.log('a line of text', i)", "while (true) {}", nil,
		},
		{
			"ruby", "1", "s = 0\n2000000.times { |i| s += i }\nputs s", "100000.times { |i| puts \"a line of text #{i}\" }",
			"loop {}",
			[]string{"ruby", "-e"},
		},
		{
			"php", "1", "$s = 0; for ($i = 0; $i < 2000000; $i++) $s += $i; echo $s, \"\\n\";",
			"for ($i = 0; $i < 100000; $i++) echo \"a line of text $i\\n\";", "while (true);",
			[]string{"php", "-r"},
		},
		{
			"lua", "return 1", "local s = 0\nfor i = 1, 2000000 do s = s + i end\nprint(s)",
			"for i = 1, 100000 do print('a line of text ' .. i) end", "while true do end",
			[]string{"lua5.4", "-e"},
		},
		{
			"perl", "1", "my $s = 0; for my $i (1 .. 2000000) { $s += $i } print \"$s\\n\";",
			"print \"a line of text $_\\n\" for 1 .. 100000;", "while (1) {}",
			[]string{"perl", "-e"},
		},
		{
			"r", "1", "s <- 0\nfor (i in 1:2000000) s <- s + i\nprint(s)", "for (i in 1:100000) cat('a line of text', i, '\\n')",
			"while (TRUE) {}",
			[]string{"Rscript", "-e"},
		},
		{
			"scheme", "1", "(define (loop i s) (if (= i 2000000) s (loop (+ i 1) (+ s i))))\n(display (loop 0 0))\n(newline)",
			"(do ((i 0 (+ i 1))) ((= i 100000)) (display \"a line of text \") (display i) (newline))",
			"(let loop () (loop))",
			[]string{"guile", "--no-auto-compile", "-c"},
		},
		{
			"sql", "select 1", "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000) select sum(i) from n", "",
			"with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
			[]string{"sqlite3", ":memory:"},
		},
	}
}

// measureLanguages executes programs with each engine of the machine that is not a kernel of Jupyter, from nothing to the end of the
// command, beside the interpreter alone.
func measureLanguages(ctx context.Context, e *env) ([]row, error) {
	list, err := exec.CommandContext(ctx, e.binary, "engines", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("list the engines: %w", err)
	}
	var engines []struct{ Name, Language, Source, Fault string }
	if err := json.Unmarshal(list, &engines); err != nil {
		return nil, err
	}
	var rows []row
	for _, engine := range engines {
		all := languagePrograms()
		i := slices.IndexFunc(all, func(p programs) bool { return p.language == engine.Language })
		if i < 0 || engine.Source == "kernel" || engine.Fault != "" {
			continue
		}
		more, err := measureEngine(ctx, e, engine.Name, &all[i])
		if err != nil {
			return rows, fmt.Errorf("%s: %w", engine.Name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// measureEngine measures one engine.
func measureEngine(ctx context.Context, e *env, name string, p *programs) ([]row, error) {
	eval := func(n int, program string, more ...string) (time.Duration, error) {
		return fastest(ctx, n, e.binary, append([]string{"eval", "-l", p.language, "--engine", name, program}, more...)...)
	}
	if _, err := eval(1, p.result); err != nil { // it compiles what it keeps compiled
		return nil, err
	}
	var rows []row
	for _, m := range []struct{ what, program, limit string }{
		{name + ": from nothing to a value", p.result, "goal 300 ms"},
		{"  a loop of 2,000,000 steps", p.loop, ""},
		{"  100,000 printed lines", p.lines, ""},
	} {
		if m.program == "" {
			continue
		}
		ours, err := eval(3, m.program)
		if err != nil {
			return rows, err
		}
		limit, beside := m.limit, ""
		if p.bare != nil {
			if bare, err := fastest(ctx, 3, p.bare[0], append(slices.Clone(p.bare[1:]), m.program)...); err == nil {
				limit, beside = millis(bare.Seconds()*1e3), fmt.Sprintf("%s alone; %.1f×", p.bare[0], ours.Seconds()/bare.Seconds())
			}
		}
		rows = append(rows, row{what: m.what, got: millis(ours.Seconds() * 1e3), limit: limit, beside: beside})
	}
	started, err := eval(1, p.result)
	if err != nil {
		return rows, err
	}
	const limit = time.Second
	began := time.Now()
	_ = exec.CommandContext(ctx, e.binary, "eval", "-l", p.language, "--engine", name, "--timeout", limit.String(), p.forever).Run() // it fails, as it should
	late := time.Since(began) - started - limit
	return append(rows, row{what: "  an endless loop ends after its time-out of 1 s", got: millis(max(late, 0).Seconds() * 1e3), limit: "< 100 ms", beside: "budget"}), nil
}
