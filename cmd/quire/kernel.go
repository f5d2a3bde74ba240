package main

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// kernel is what a Jupyter file says about what executes it.
type kernel struct {
	Name     string `json:"name"`
	Language string `json:"language,omitempty"`
	Display  string `json:"display_name"`
}

// python3 is the one kernel that files can ask for; there is no other language yet.
var python3 = kernel{Name: "python3", Language: "python", Display: "Python 3"}

// kernelNames are the names by which a command line can ask for it.
var kernelNames = []string{"python3", "python"}

// useKernel returns what must be added to a notebook of a file so that a kernel
// that we have executes it: nothing if it asks for that itself.
func useKernel(n *notebook.Notebook, asked string) ([]event.Payload, error) {
	own := kernelOf(n)
	ours := strings.EqualFold(own.Language, python3.Language)
	switch {
	case asked == "" && ours:
		return nil, nil
	case asked == "":
		return nil, fail(exitUsage, "it asks for the kernel %q, and there is only %s; --kernel %s uses that instead",
			cmp.Or(own.Name, own.Language), kernelNames[0], kernelNames[0])
	case !slices.Contains(kernelNames, asked):
		return nil, fail(exitUsage, "there is no kernel %q: there is only %s", asked, strings.Join(kernelNames, ", also called "))
	case own.Name == python3.Name && ours:
		return nil, nil
	}
	spec, err := json.Marshal(python3)
	if err != nil {
		return nil, err
	}
	return []event.Payload{
		&event.NotebookMetadataSet{Key: "kernelspec", Value: spec},
		&event.NotebookMetadataSet{Key: "language_info", Value: json.RawMessage(`{"name":"python"}`)},
	}, nil
}

// kernelOf returns what a notebook says. One that says nothing is in Python, as is
// one whose kernel has that in its name.
func kernelOf(n *notebook.Notebook) kernel {
	var k kernel
	var info struct {
		Name string `json:"name"`
	}
	// What is damaged says nothing.
	_ = json.Unmarshal(n.Metadata()["kernelspec"], &k)
	_ = json.Unmarshal(n.Metadata()["language_info"], &info)
	k.Language = cmp.Or(k.Language, info.Name)
	if k.Language == "" && (k.Name == "" || strings.HasPrefix(k.Name, python3.Language)) {
		k.Language = python3.Language
	}
	return k
}
