package main

import (
	"encoding/json"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/lang/names"
)

// languagesFile writes the part of the table of languages that the page needs.
func languagesFile(*packages) ([]byte, error) {
	w := &writer{}
	w.print(header, "\n/** LanguageID is the id of a language in the table of languages. */\nexport type LanguageID =")
	table := names.All()
	for _, l := range table {
		w.print("\n  | ", literal(l.ID))
	}
	w.print(";\n\n/** Language is a language that cells can have. */\nexport interface Language {\n",
		"  readonly id: LanguageID;\n  readonly title: string;\n  /** The other names for it, in lower case. */\n  readonly aliases: readonly string[];\n}\n",
		"\n/** The table of languages. */\nexport const languages: readonly Language[] = [\n")
	for _, l := range table {
		w.print("  { id: ", literal(l.ID), ", title: ", literal(l.Title), ", aliases: ", literal(append([]string{}, l.Aliases...)), " },\n")
	}
	w.print("];\n")
	return w.bytes(), nil
}

// rolesFile writes the table of permissions.
func rolesFile(*packages) ([]byte, error) {
	w := &writer{}
	w.print(header, "\nimport type { Action, Role } from \"./protocol.js\";\n\n/** The roles, most permissions first. */\n",
		"export const roles: readonly Role[] = ", literal(access.Roles()), ";\n\n/** The actions of every role. No other rule grants any. */\n",
		"export const actionsOf: Readonly<Record<Role, readonly Action[]>> = {\n")
	for _, r := range access.Roles() {
		w.print("  ", string(r), ": ", literal(r.Actions()), ",\n")
	}
	w.print("};\n")
	return w.bytes(), nil
}

// binaryFile writes the tables of the types whose values are bytes.
func binaryFile(*packages) ([]byte, error) {
	kinds, text, types := artifact.BinaryTypes()
	w := &writer{}
	w.print(header, "\n/** The kinds of types whose values are bytes in base64. */\nexport const binaryKinds: readonly string[] = ", literal(kinds), ";\n",
		"\n/** The endings of the types of those kinds whose values are text. */\nexport const textEndings: readonly string[] = ", literal(text), ";\n",
		"\n/** The types of other kinds whose values are bytes in base64. */\nexport const binaryTypes: readonly string[] = ", literal(types), ";\n")
	return w.bytes(), nil
}

// literal returns a value as a literal of TypeScript.
func literal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is of texts alone
	}
	return string(data)
}
