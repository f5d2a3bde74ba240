// @vitest-environment node
import { Language as Grammar, LanguageSupport } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { languages } from "../core/languages.js";
import { grammarOf } from "./grammars.js";

async function loaded(name: string): Promise<Extension | undefined> {
  const { ready, load } = grammarOf(name);
  return ready ?? (await load?.());
}

function parser(grammar: Extension | undefined): Grammar {
  if (grammar instanceof LanguageSupport) return grammar.language;
  if (grammar instanceof Grammar) return grammar;
  throw new Error("not a grammar");
}

/** Returns the names of all nodes of a source's syntax tree. */
async function nodes(name: string, source: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  parser(await loaded(name))
    .parser.parse(source)
    .iterate({ enter: (node) => void names.add(node.name) });
  return names;
}

test.each([
  { name: "python", source: "def f(): # c", comment: "Comment" },
  { name: "ipython", source: "1 # c", comment: "Comment" },
  { name: "javascript", source: "let a // c", comment: "LineComment" },
  { name: "TypeScript", source: "let a: number // c", comment: "LineComment" },
  { name: "sql", source: "select 1 -- c", comment: "LineComment" },
  { name: "r", source: "a <- 1 # c", comment: "comment" },
  { name: "julia", source: "a = 1 # c", comment: "comment" },
  { name: "ruby", source: "a = 1 # c", comment: "comment" },
  { name: "perl", source: "my $a = 1; # c", comment: "comment" },
  { name: "lua", source: "local a -- c", comment: "comment" },
  { name: "scheme", source: "(a) ; c", comment: "comment" },
  { name: "php", source: "<?php echo $a; # c", comment: "comment" },
  { name: "bash", source: "ls # c", comment: "comment" },
])("$name has a grammar, and comments that can be toggled", async ({ name, source, comment }) => {
  expect(await nodes(name, source)).toContain(comment);
  const state = EditorState.create({ doc: source, extensions: (await loaded(name)) ?? [] });
  expect(state.languageDataAt("commentTokens", 0)).not.toEqual([]);
});

test("each language of the table has a grammar", async () => {
  const grammars = await Promise.all(languages.flatMap(({ id, aliases }) => [id, ...aliases]).map(loaded));
  expect(grammars.map(parser)).not.toContain(undefined);
});

test("Markdown has a grammar", async () => {
  expect(await nodes("markdown", "# Title")).toContain("ATXHeading1");
});

test("PHP knows its variables, and an attribute is no comment", async () => {
  const names = await nodes("php", '#[Pure]\nfunction f($a) { return "x\ny"; }');
  expect(names).not.toContain("comment");
  expect(names).toContain("variableName.special");
});

test.each(["", "cobol", "constructor", "__proto__"])("%j is plain text", async (name) => {
  expect(await loaded(name)).toBeUndefined();
});
