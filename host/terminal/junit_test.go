package terminal

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

// reported is the part of a report that the tests look at.
type reported struct {
	Suite struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Time    string `xml:"time,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Type    string `xml:"type,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// ran is a notebook with a heading and cells that ended as they are called.
func ran(t *testing.T, failed *event.Error) (data []byte, got reported) {
	t.Helper()
	payloads := []event.Payload{
		&event.CellCreated{Cell: "early", Kind: event.KindCode, Order: "A"},
		&event.CellCreated{Cell: "head", Kind: event.KindMarkdown, Order: "B", Source: "```\n# no\n```\n\n## Load & <go> #\n# Later"},
		&event.CellCreated{Cell: "error", Kind: event.KindCode, Order: "C"},
		&event.CellCreated{Cell: "plain", Kind: event.KindMarkdown, Order: "D", Source: "no heading: #1"},
		&event.CellCreated{Cell: "lost", Kind: event.KindCode, Order: "E"},
		&event.CellCreated{Cell: "skipped", Kind: event.KindCode, Order: "F"},
		&event.CellCreated{Cell: "missing", Kind: event.KindSQL, Order: "G"},
		&event.OutputsImported{Cell: "error", Outputs: []event.Output{{Kind: event.OutputError, Error: failed}}},
	}
	n := foldOf(t, payloads...)
	ended := []Outcome{
		{Cell: "early", Status: event.StatusOK, Started: true, Took: 1500 * time.Millisecond},
		{Cell: "error", Status: event.StatusError, Started: true},
		{Cell: "lost", Status: event.StatusLost, Started: true, Reason: "python ended"},
		{Cell: "skipped", Status: event.StatusCancelled, Reason: "an earlier one failed"},
	}
	data, err := Report{File: "dir/book.ipynb", Began: start, Ended: ended}.JUnit(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(data, &got); err != nil {
		t.Fatalf("%v in:\n%s", err, data)
	}
	return data, got
}

func TestAReportHasACaseForEachCellThatRuns(t *testing.T) {
	data, got := ran(t, &event.Error{Name: "ValueError", Message: "bad \x1b[31mvalue", Trace: []string{"\x1b[31mTraceback\x1b[0m", "ValueError: bad"}})
	suite := got.Suite
	if suite.Name != "dir/book.ipynb" || suite.Tests != 5 || suite.Failures != 1 || suite.Errors != 1 || suite.Skipped != 2 {
		t.Errorf("got %+v", suite)
	}
	var names []string
	for _, c := range suite.Cases {
		names = append(names, c.Name)
	}
	want := []string{"cell 1", "Load & <go>", "Load & <go> (2)", "Load & <go> (3)", "Load & <go> (4)"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	f := suite.Cases[1].Failure
	if f == nil || f.Type != "ValueError" || f.Message != "ValueError: bad value" || f.Text != "Traceback\nValueError: bad" {
		t.Errorf("got failure %+v in plain text", f)
	}
	if suite.Cases[0].Time != "1.500" || suite.Cases[2].Error == nil || suite.Cases[3].Skipped == nil || suite.Cases[4].Skipped == nil {
		t.Errorf("got cases %+v\n%s", suite.Cases, data)
	}
}

func TestAReportIsXMLWhateverAProgramFailsWith(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0x120; r++ {
		all.WriteRune(r)
	}
	all.WriteString("]]>&<\ufffe\uffff\U0010ffff\xff\xc0 \u2028")
	data, _ := ran(t, &event.Error{Name: all.String(), Message: all.String(), Trace: []string{all.String()}})
	dec := xml.NewDecoder(strings.NewReader(string(data)))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
