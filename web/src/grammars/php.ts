import { StreamLanguage, type StringStream } from "@codemirror/language";
import { clike } from "@codemirror/legacy-modes/mode/clike";

const keywords =
  "abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum " +
  "extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface " +
  "isset list match namespace new or print private protected public readonly require require_once return static switch " +
  "throw trait try unset use var while xor yield";

function words(text: string): Readonly<Record<string, true>> {
  return Object.fromEntries(text.split(" ").map((word) => [word, true]));
}

function variable(stream: StringStream): string {
  stream.eatWhile(/[\w$]/);
  return "variableName.special";
}

function comment(stream: StringStream): string | false {
  if (stream.peek() === "[") return false; // an attribute
  stream.skipToEnd();
  return "comment";
}

function tag(stream: StringStream): string | false {
  return stream.match("?php") || stream.match("?=") ? "meta" : false;
}

const parser = clike({
  name: "php",
  keywords: words(keywords),
  types: words("bool float int iterable mixed never null object self string void parent"),
  blockKeywords: words("catch do else elseif finally for foreach if switch try while"),
  atoms: words("true false null TRUE FALSE NULL __CLASS__ __DIR__ __FILE__ __FUNCTION__ __LINE__ __METHOD__ __NAMESPACE__"),
  multiLineStrings: true,
  hooks: { $: variable, "#": comment, "<": tag },
});

/** The grammar of PHP in cells: code from the start on, with or without the opening tag. */
export const php = StreamLanguage.define(parser);
