package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
	"github.com/quirehq/quire/core/event"
)

// systemPython is where Debian has the Python for which it packages numpy and others.
const systemPython = "/usr/bin/python3"

// needPackages skips a test where Python lacks packages.
func needPackages(t *testing.T, names ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), systemPython, "-c", "import "+strings.Join(names, ", ")).CombinedOutput()
	if err != nil {
		t.Skipf("%s does not have all of %v: %v %s", systemPython, names, err, out)
	}
}

// executed runs a file of examples, and returns the outputs that are in the result.
func executed(t *testing.T, file string, args ...string) []*event.Output {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.ipynb")
	a, _, stderr := offline()
	args = append([]string{"run", filepath.Join("..", "..", "examples", file), "--python", systemPython, "-o", out}, args...)
	if code := a.execute(t.Context(), args); code != exitOK {
		t.Fatalf("got exit code %d:\n%s", code, stderr)
	}
	data, err := namedfile.Read(a.stdin, out)
	if err != nil {
		t.Fatal(err)
	}
	payloads, err := formats.Import(out, data)
	if err != nil {
		t.Fatal(err)
	}
	n, err := formats.Fold(payloads)
	if err != nil {
		t.Fatal(err)
	}
	var outputs []*event.Output
	for _, id := range n.Cells() {
		for _, o := range n.Cell(id).Outputs {
			v := n.Output(o).Value()
			outputs = append(outputs, &v)
		}
	}
	return outputs
}

// wantPicture wants a PNG that can be decoded among outputs.
func wantPicture(t *testing.T, outputs []*event.Output) {
	t.Helper()
	for _, v := range outputs {
		var text string
		if json.Unmarshal(v.Data["image/png"], &text) != nil {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if size := picture.Bounds().Size(); size.X < 200 || size.Y < 100 {
			t.Errorf("got a picture of %v, want one that can be seen", size)
		}
		return
	}
	t.Error("got no picture")
}

// wantText wants a text in an output of some kind.
func wantText(t *testing.T, outputs []*event.Output, mime, want string) {
	t.Helper()
	for _, v := range outputs {
		var text string
		if mime == "" && strings.Contains(v.Text, want) || json.Unmarshal(v.Data[mime], &text) == nil && strings.Contains(text, want) {
			return
		}
	}
	t.Errorf("got no %s with %q", mime, want)
}

func TestTheAnalysisOfTheExamplesHasTablesAndAPictureWhenItWasRun(t *testing.T) {
	needPackages(t, "numpy", "pandas", "matplotlib")
	outputs := executed(t, "analysis.ipynb", "-p", "months=24", "-p", "place=\"the\" harbour's end")
	wantPicture(t, outputs)
	wantText(t, outputs, "text/html", "<table")
	wantText(t, outputs, "", `24 months at "the" harbour's end, `)
}

func TestTheReportOfTheExamplesHasAPictureWhenItWasRun(t *testing.T) {
	needPackages(t, "numpy", "matplotlib")
	outputs := executed(t, "report.py", "-p", "rows=50")
	wantPicture(t, outputs)
	wantText(t, outputs, "", "50 values, ")
}
