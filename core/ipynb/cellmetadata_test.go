package ipynb

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func TestIP7TheLanguageThatAnotherProgramWroteIsThatOfTheCell(t *testing.T) {
	for metadata, want := range map[string]string{
		`{"vscode": {"languageId": "ruby"}}`:                  "ruby",
		`{"polyglot_notebook": {"kernelName": "javascript"}}`: "javascript",
		`{"dotnet_interactive": {"language": "sql"}}`:         "sql",
		`{"kernel": "R"}`:                                                  "r",
		`{"vscode": {"languageId": "plaintext"}}`:                          "",
		`{"vscode": {"languageId": "ruby"}, "quire": {"language": "lua"}}`: "lua",
		`{"vscode": "ruby", "kernel": 1}`:                                  "",
		`{"polyglot_notebook": {"kernelName": "nope"}, "dotnet_interactive": {"language": "js"}}`: "javascript",
	} {
		n := fold(t, mustImport(t, codeCell(metadata)))
		if got := n.Cell(n.Cells()[0]).Language; got != want {
			t.Errorf("%s: got %q, want %q", metadata, got, want)
		}
		if back := string(mustExport(t, n)); want != "lua" && strings.Contains(back, keyQuire) {
			t.Errorf("%s: got %s, want nothing of ours in it", metadata, back)
		}
	}
}

func TestIP7ACellThatLosesItsLanguageLosesThatOfAnotherProgram(t *testing.T) {
	n := fold(t, mustImport(t, codeCell(`{"vscode": {"languageId": "ruby", "other": 1}, "kernel": "R"}`)))
	id := n.Cells()[0]
	apply(t, n, &event.CellLanguageChanged{Cell: id, Language: ""})
	again := fold(t, mustImport(t, mustExport(t, n)))
	if got := again.Cell(again.Cells()[0]); got.Language != "" || string(got.Metadata["vscode"]) != `{"other":1}` {
		t.Errorf("got language %q and metadata %s, want none and the other key", got.Language, got.Metadata)
	}
	apply(t, n, &event.CellLanguageChanged{Cell: id, Language: "perl"})
	if got := languageAfterExport(t, n); got != "perl" {
		t.Errorf("got %q, want perl", got)
	}
}

func languageAfterExport(t *testing.T, n *notebook.Notebook) string {
	t.Helper()
	again := fold(t, mustImport(t, mustExport(t, n)))
	return again.Cell(again.Cells()[0]).Language
}

// codeCell returns a file with one code cell.
func codeCell(metadata string) []byte {
	return []byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "id": "a", "source": "1", "outputs": [], ` +
		`"execution_count": null, "metadata": ` + metadata + `}]}`)
}
