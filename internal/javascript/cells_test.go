//go:build !race

package javascript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/engineproto/engineprototest"
)

// sequence is cells that run one after the other, and the outputs of the last.
type sequence struct {
	name  string
	cells []string
	want  []string
}

func check(t *testing.T, config Config, sequences []sequence) {
	t.Helper()
	h := engineprototest.Start(t, New(config))
	for _, c := range sequences {
		t.Run(c.name, func(t *testing.T) {
			if failed := h.Call(engineproto.Call{Method: engineproto.Reset}, nil); failed != nil {
				t.Fatal(failed)
			}
			var lines []string
			for i, cell := range c.cells {
				var failed *engineproto.Error
				if lines, failed = h.Run(cell); failed != nil {
					if i < len(c.cells)-1 && strings.Contains(cell, "fails") {
						continue
					}
					lines = append(lines, "fails: "+failed.Error())
				}
			}
			if diff := cmp.Diff(c.want, lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCellsShareWhatTheyDeclare(t *testing.T) {
	check(t, Config{}, []sequence{
		{"let", []string{"let a = 1", "a + 1"}, []string{"result: text/plain 2"}},
		{"let again", []string{"let a = 1", "let a = 5; a"}, []string{"result: text/plain 5"}},
		{"const again", []string{"const a = 1", "const a = 2", "a"}, []string{"result: text/plain 2"}},
		{"const as let", []string{"const a = 1", "let a = 2; a++; a"}, []string{"result: text/plain 3"}},
		{"const keeps its value", []string{"const a = 1", "a = 2"}, []string{"fails: TypeError: 'a' is read-only"}},
		{"var as let", []string{"var a = 1", "let a = 2", "a"}, []string{"result: text/plain 2"}},
		{"const as var", []string{"const a = 1", "var a = 2", "a"}, []string{"result: text/plain 2"}},
		{"function again", []string{"function f() { return 1 }", "function f() { return 2 }", "f()"}, []string{"result: text/plain 2"}},
		{"function as const", []string{"function f() { return 1 }", "const f = () => 3", "f()"}, []string{"result: text/plain 3"}},
		{"class again", []string{"class A { x = 1 }", "class A { x = 2 }", "new A().x"}, []string{"result: text/plain 2"}},
		{"async function", []string{"async function f() { return 7 }", "await f()"}, []string{"result: text/plain 7"}},
		{"a function of another cell sees the new value", []string{"let n = 1", "function f() { return n }", "n = 2", "let n = 10", "f()"}, []string{"result: text/plain 10"}},
		{"a function of the same cell sees assignments", []string{"let n = 1; function f() { return n }", "n = 5", "f()"}, []string{"result: text/plain 5"}},
		{"patterns", []string{"const {p, q: [w, ...rest], ...others} = {p: 1, q: [2, 3], m: 4}", "console.log(p, w, rest, others)"}, []string{"stdout: 1 2 [ 3 ] { m: 4 }\n"}},
		{"without a declaration", []string{"a = 5", "a"}, []string{"result: text/plain 5"}},
		{"strict", []string{`"use strict"; let a = 1; var b = 2; function f() { return 3 }`, "a + b + f()"}, []string{"result: text/plain 6"}},
		{"before an error", []string{"let a = 1; fails", "a"}, []string{"result: text/plain 1"}},
		{"awaited", []string{"let a = await Promise.resolve(3); var b = 4", "a + b"}, []string{"result: text/plain 7"}},
		{"a declaration in text", []string{"let a = `\nlet b = 1\n`", "typeof b"}, []string{"result: text/plain 'undefined'"}},
		{"inner declarations stay inside", []string{"{ let a = 1 } for (let b = 0; b < 1; b++);", "typeof a + typeof b"}, []string{"result: text/plain 'undefinedundefined'"}},
		{"a name of ours", []string{"let console2 = console; let display = 4", "display"}, []string{"result: text/plain 4"}},
		{"hash-bang", []string{"#!/usr/bin/env node\n1 + 1"}, []string{"result: text/plain 2"}},
	})
}

func TestTheLastExpressionIsTheResult(t *testing.T) {
	check(t, Config{}, []sequence{
		{"a value", []string{"1; 2"}, []string{"result: text/plain 2"}},
		{"with a semicolon", []string{"'a';"}, []string{"result: text/plain 'a'"}},
		{"undefined", []string{"undefined"}, nil},
		{"null", []string{"null"}, []string{"result: text/plain null"}},
		{"a declaration", []string{"5; let a = 1"}, nil},
		{"a loop", []string{"for (let i = 0; i < 3; i++) i"}, nil},
		{"a comment", []string{"// nothing"}, nil},
		{"nothing", []string{""}, nil},
		{"an object", []string{"{a: 1, b: 'x'}"}, []string{`result: application/json {"a":1,"b":"x"} text/plain { a: 1, b: 'x' }`}},
		{"a block", []string{"{ let a = 1; a }"}, nil},
		{"an array", []string{"[1, [2]]"}, []string{`result: application/json [1,[2]] text/plain [ 1, [ 2 ] ]`}},
		{"what JSON does not have", []string{"[undefined]"}, []string{"result: text/plain [ undefined ]"}},
		{"a map", []string{"new Map([[1, 2]])"}, []string{"result: text/plain Map(1) { 1 => 2 }"}},
		{"a promise", []string{"Promise.resolve(3)"}, []string{"result: text/plain Promise { 3 }"}},
		{"a promise that waits", []string{"new Promise(() => {})"}, []string{"result: text/plain Promise { <pending> }"}},
		{"a promise that fails", []string{"Promise.reject(new RangeError('x'))"}, []string{"fails: RangeError: x"}},
		{"an object that shows itself", []string{"({[Symbol.for('Jupyter.display')]() { return {'text/html': '<b>1</b>'} }})"}, []string{"result: text/html <b>1</b>"}},
	})
}

func TestProgramsDisplayAndAsk(t *testing.T) {
	check(t, Config{}, []sequence{
		{"display", []string{`console.log("a"); display("<b>b</b>", "text/html"); console.log("c")`}, []string{"stdout: a\n", "display quickjs-1: text/html <b>b</b>", "stdout: c\n"}},
		{"update", []string{`display("1", "text/plain", {id: "p"}); display.update("p", "2", "text/plain")`}, []string{"display p: text/plain 1", "update p: text/plain 2"}},
		{"bytes", []string{`display(new Uint8Array([1, 2, 255]), "image/png")`}, []string{"display quickjs-1: image/png AQL/"}},
		{"JSON", []string{`display({a: [1]}, "application/vnd.vega.v5+json")`}, []string{`display quickjs-1: application/vnd.vega.v5+json {"a":[1]}`}},
		{"handle", []string{`const d = display.html("1"); d.update("2"); d`}, []string{"display quickjs-1: text/html 1", "update quickjs-1: text/html 2"}},
		{"bundle", []string{`display({"text/html": "<b>", "text/plain": "b"})`}, []string{"display quickjs-1: text/html <b> text/plain b"}},
		{"clear", []string{`console.log("a"); display.clear({wait: true}); console.log("b")`}, []string{"stdout: a\n", "clear: true", "stdout: b\n"}},
		{"nobody answers", []string{`prompt("name? ")`}, []string{"fails: EndOfInput: nobody is here"}},
	})
	h := engineprototest.Start(t, New(Config{}))
	h.Answer = func(ask *engineproto.Ask) *engineproto.Answer {
		return &engineproto.Answer{Text: strings.ToUpper(ask.Prompt) + map[bool]string{true: "secret"}[ask.Secret]}
	}
	lines, _ := h.Run(`prompt("name? ") + prompt.secret("word? ")`)
	if diff := cmp.Diff([]string{"result: text/plain 'NAME? WORD? secret'"}, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTimersAndPromisesRunToTheEndOfACell(t *testing.T) {
	check(t, Config{}, []sequence{
		{"a timer", []string{`setTimeout(x => console.log(x), 5, "later"); console.log("now")`}, []string{"stdout: now\nlater\n"}},
		{"timers in order", []string{`setTimeout(() => console.log(2), 20); setTimeout(() => console.log(1), 1); queueMicrotask(() => console.log(0))`}, []string{"stdout: 0\n1\n2\n"}},
		{"a chain", []string{`setTimeout(() => setTimeout(() => console.log("end"), 1), 1); 0`}, []string{"result: text/plain 0", "stdout: end\n"}},
		{"cleared", []string{`clearTimeout(setTimeout(() => console.log("never"), 1)); clearInterval(setInterval(() => console.log("never"), 1))`}, nil},
		{"awaited", []string{`await new Promise(done => setTimeout(done, 2)); "slept"`}, []string{"result: text/plain 'slept'"}},
		{"an error in a timer", []string{`setTimeout(() => { throw new TypeError("late") }, 1); "now"`}, []string{"result: text/plain 'now'", "fails: TypeError: late"}},
		{"a rejection that is not handled", []string{`Promise.reject(new Error("lost")); 1`}, []string{"result: text/plain 1", "fails: Error: lost"}},
		{"a rejection that is handled later", []string{`const p = Promise.reject(new Error("found")); await null; p.catch(e => console.log(e.message)); 1`}, []string{"stdout: found\n", "result: text/plain 1"}},
		{"what nothing settles", []string{`await new Promise(() => {})`}, []string{"fails: Error: the cell awaits a promise that nothing can settle any more"}},
	})
}

func TestAnIntervalGoesOnBetweenRunsUnderItsCell(t *testing.T) {
	h := engineprototest.Start(t, New(Config{}))
	if _, failed := h.Run(`let n = 0; const timer = setInterval(() => console.log("tick", ++n), 1)`); failed != nil {
		t.Fatal(failed)
	}
	h.WaitLate(2)
	if _, failed := h.Run(`await new Promise(done => setTimeout(done, 5)); clearInterval(timer)`); failed != nil {
		t.Fatal(failed)
	}
	for _, line := range h.Late {
		if !strings.HasPrefix(line, "1 stdout: tick ") {
			t.Errorf("got %q, want a tick of the first run", line)
		}
	}
}

func TestTypeScriptIsStripped(t *testing.T) {
	check(t, Config{TypeScript: true}, []sequence{
		{"types", []string{"interface P { x: number }\nconst p: P = { x: 1 };\nfunction id<T>(v: T): T { return v }", "id<number>(p.x) as unknown"}, []string{"result: text/plain 1"}},
		{"enum", []string{"enum Color { Red, Green = 'g' }", "[Color.Red, Color.Green]"}, []string{`result: application/json [0,"g"] text/plain [ 0, 'g' ]`}},
		{"class", []string{"class K { constructor(private readonly n: number) {} get(): number { return this.n } }", "new K(3).get()"}, []string{"result: text/plain 3"}},
		{"again", []string{"let a: number = 1", "let a: string = 'x'; a!"}, []string{"result: text/plain 'x'"}},
		{"await", []string{"const a: number = await Promise.resolve(2)", "a satisfies number"}, []string{"result: text/plain 2"}},
		{"namespace", []string{"namespace N { export const q = 1 }", "N.q"}, []string{"result: text/plain 1"}},
		{"type import", []string{"import type { X } from 'x'; 1"}, []string{"result: text/plain 1"}},
		{"decorator", []string{"const tag = (c: any) => { c.tag = 1 }\n@tag class D {}", "(D as any).tag"}, []string{"result: text/plain 1"}},
	})
}

func TestDeclarationsAreGuessedWithoutAParser(t *testing.T) {
	got := guessDeclarations("let a = 1\nconst b = `\n`\nclass C extends D {}\n  let inner\nlet a = 2\nletter = 1")
	if diff := cmp.Diff([]string{"a", "b", "C"}, got.lexical); diff != "" || !got.endsInExpression {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
