package terminal

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// The report of a run in the form of JUnit, which systems for CI read: a suite for
// the file and a case for each cell that can be run.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		At       string      `xml:"timestamp,attr"`
		Cases    []junitCase `xml:"testcase"`
		Errs     string      `xml:"system-err,omitempty"`
	}
	junitCase struct {
		Name    string      `xml:"name,attr"`
		Class   string      `xml:"classname,attr"`
		Time    string      `xml:"time,attr"`
		Failure *junitFault `xml:"failure"` // the program failed
		Error   *junitFault `xml:"error"`   // it could not go on
		Skipped *junitFault `xml:"skipped"` // it did not run
	}
	junitFault struct {
		Message string `xml:"message,attr,omitempty"`
		Kind    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// Report is how the run of a file went.
type Report struct {
	File    string
	Began   time.Time
	Ended   []Outcome
	Warning string // about the run as a whole, if there is one
}

// JUnit returns the report as XML. The notebook is as it is after the run.
func (r Report) JUnit(n *notebook.Notebook) ([]byte, error) {
	suite := junitSuite{Name: r.File, At: r.Began.UTC().Format("2006-01-02T15:04:05"), Errs: r.Warning}
	how := make(map[event.CellID]Outcome, len(r.Ended))
	for _, o := range r.Ended {
		how[o.Cell] = o
	}
	names := caseNames(n)
	class := strings.TrimSuffix(filepath.Base(r.File), filepath.Ext(r.File))
	var total time.Duration
	for i, id := range n.CodeCells() {
		o := how[id]
		total += o.Took
		suite.add(junitCase{Name: names[i], Class: class, Time: seconds(o.Took)}, n, id, o)
	}
	suite.Time = seconds(total)
	data, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write report: %w", err)
	}
	return append([]byte(xml.Header), append(data, '\n')...), nil
}

// add adds the case of a cell. One whose tag lets it fail has passed.
func (s *junitSuite) add(c junitCase, n *notebook.Notebook, id event.CellID, o Outcome) {
	s.Tests++
	switch {
	case o.Cause == event.CauseNotStarted:
		s.Errors++
		c.Error = faultOf(n, id, o)
	case !o.Started:
		s.Skipped++
		c.Skipped = &junitFault{Message: whyNotRun(n.Cell(id), o)}
	case o.Status == event.StatusLost:
		s.Errors++
		c.Error = faultOf(n, id, o)
	case o.IsBad():
		s.Failures++
		c.Failure = faultOf(n, id, o)
	}
	s.Cases = append(s.Cases, c)
}

// whyNotRun returns the reason why a cell did not run.
func whyNotRun(c *notebook.Cell, o Outcome) string {
	switch {
	case o.Reason != "":
		return o.Reason
	case c.IsSkipped():
		return `its tag "skip-execution" says so`
	case strings.TrimSpace(c.Source()) == "":
		return "it is empty"
	}
	return ""
}

// faultOf returns the failure of a cell in plain text: colours are no part of XML.
func faultOf(n *notebook.Notebook, id event.CellID, o Outcome) *junitFault {
	fault := &junitFault{Message: o.Reason, Kind: string(o.Status)}
	for _, out := range n.Cell(id).Outputs {
		v := n.Output(out).Value()
		if v.Kind != event.OutputError || v.Error == nil {
			continue
		}
		fault.Kind = v.Error.Name
		fault.Text = stripEscapes(errorText(v.Error))
		if fault.Message == "" {
			fault.Message = strings.TrimSuffix(v.Error.Name+": "+stripEscapes(v.Error.Message), ": ")
		}
	}
	return fault
}

// caseNames returns a name for each cell that can be run: the heading that it is
// below, numbered from the second on, or else its place among all cells.
func caseNames(n *notebook.Notebook) []string {
	var names []string
	code := n.CodeCells()
	title, below := "", 0
	for i, id := range n.Cells() {
		c := n.Cell(id)
		if h := heading(c.Source()); c.Kind == event.KindMarkdown && h != "" {
			title, below = h, 0
		}
		if !slices.Contains(code, id) {
			continue
		}
		below++
		switch {
		case title == "":
			names = append(names, fmt.Sprintf("cell %d", i+1))
		case below == 1:
			names = append(names, title)
		default:
			names = append(names, fmt.Sprintf("%s (%d)", title, below))
		}
	}
	return names
}

// heading returns the first heading of a Markdown text, empty if it has none. What
// looks like one in a block of code is none.
func heading(source string) string {
	fenced := false
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if fenced || level == 0 || level > 6 || level == len(line) || line[level] != ' ' {
			continue
		}
		if text := strings.TrimSpace(strings.TrimRight(line[level:], "# ")); text != "" {
			return text
		}
	}
	return ""
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
