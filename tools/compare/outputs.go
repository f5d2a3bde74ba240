package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// text is a string that a Jupyter file may also store as its lines.
type text string

// UnmarshalJSON implements json.Unmarshaler. Other values are kept as JSON.
func (t *text) UnmarshalJSON(data []byte) error {
	var lines []string
	if json.Unmarshal(data, &lines) == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = text(one)
		return nil
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	sorted, err := json.Marshal(value)
	*t = text(sorted)
	return err
}

// book is the compared part of a Jupyter file.
type book struct {
	Cells []struct {
		Outputs []output `json:"outputs"`
	} `json:"cells"`
}

type output struct {
	Type     string          `json:"output_type"`
	Name     string          `json:"name"` // of a stream
	Text     text            `json:"text"`
	Data     map[string]text `json:"data"`
	Metadata map[string]any  `json:"metadata"`
	Error    string          `json:"ename"`
	Message  string          `json:"evalue"`
}

// results returns the output of each cell of an executed file, in the compared form.
func results(data []byte, dir string) ([][]string, error) {
	var b book
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, err
	}
	all := make([][]string, 0, len(b.Cells))
	for _, cell := range b.Cells {
		all = append(all, shown(cell.Outputs, dir))
	}
	return all, nil
}

// shown returns a line for each output. Text without another output in between is joined by stream,
// because the order of the two streams varies between runs of the reference.
func shown(outputs []output, dir string) []string {
	lines, streams := []string{}, map[string]string{}
	flush := func() {
		for _, name := range []string{"stdout", "stderr"} {
			lines = append(lines, ofStream(name, streams[name], dir)...)
		}
		clear(streams)
	}
	for _, o := range outputs {
		if o.Type == "stream" {
			streams[o.Name] += string(o.Text)
			continue
		}
		flush()
		lines = append(lines, normal(o.line(), dir))
	}
	flush()
	return lines
}

// usage matches IPython's message about a wrong magic; it is an error elsewhere.
var usage = regexp.MustCompile(`(?m)^UsageError: (.*)\n?`)

// deprecation matches the warning of Jupyter's client library about messages that it had to
// convert.
var deprecation = regexp.MustCompile(`(?s)\S+/jupyter_client/(session|jsonutil)\.py:\d+: .*?(content = self\.pack\(content\)|return json\.dumps\()\n`)

func ofStream(name, text, dir string) []string {
	var lines []string
	var errors []string
	text = deprecation.ReplaceAllString(ansi.ReplaceAllString(text, ""), "")
	if name == "stderr" {
		for _, found := range usage.FindAllStringSubmatch(text, -1) {
			errors = append(errors, normal("error: UsageError: "+found[1], dir))
		}
		text = usage.ReplaceAllString(text, "")
	}
	if text != "" {
		lines = append(lines, normal(name+": "+text, dir))
	}
	return append(lines, errors...)
}

// line describes an output other than a stream.
func (o output) line() string {
	if o.Type == "error" {
		return fmt.Sprintf("error: %s: %s", o.Error, inFile.ReplaceAllString(o.Message, ""))
	}
	var mimes []string
	for mime, value := range o.Data {
		if strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" {
			value = "..." // only the existence of a picture is compared
		}
		mimes = append(mimes, mime+" "+string(value))
	}
	slices.Sort(mimes)
	line := strings.TrimPrefix(o.Type, "execute_") + ": " + strings.Join(mimes, " | ")
	if len(o.Metadata) > 0 {
		metadata, _ := json.Marshal(o.Metadata) // it was JSON
		line += " " + string(metadata)
	}
	return line
}

var (
	ansi   = regexp.MustCompile("\x1b\\[[0-9;]*m")
	inFile = regexp.MustCompile(` \([^()]*, line \d+\)$`) // the place of a SyntaxError, which is not in the message elsewhere
)

// varying matches text that differs in each run, or by the names of cells.
var varying = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[^\s"]*/ipykernel_\d+/\d+\.py|<ipython-input-\d+-[0-9a-f]+>|<cell \d+>`), "<cell>"},
	{regexp.MustCompile(`0x[0-9a-f]{6,16}`), "0x0"},
	{regexp.MustCompile(`CPU times: .*`), "CPU times: ..."},
	{regexp.MustCompile(`Wall time: .*`), "Wall time: ..."},
	{regexp.MustCompile(`(Ran \d+ tests?) in [\d.]+s`), "$1 in ..."},
	{regexp.MustCompile(`[\d.]+ [nµm]?s ± [\d.]+ [nµm]?s per loop`), "... per loop"},
	{regexp.MustCompile(`The slowest run took [^\n]* times longer than the fastest\.[^\n]*\n`), ""}, // of %timeit on a busy machine
	{regexp.MustCompile(`\b[0-9a-f]{32}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "<id>"},
}

func normal(line, dir string) string {
	line = ansi.ReplaceAllString(line, "")
	line = strings.ReplaceAll(line, dir, "<dir>")
	line = strings.ReplaceAll(line, "\r\n", "\n") // of commands, which have a terminal in the reference
	for _, v := range varying {
		line = v.find.ReplaceAllString(line, v.with)
	}
	return line
}
