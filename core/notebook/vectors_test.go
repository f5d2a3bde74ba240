package notebook

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
)

var update = flag.Bool("update", false, "write what the fold makes of the vectors' events into them")

const spec = "../../spec/"

// vector is a log and the snapshot of the notebook that it folds to, without the members seq and clients.
type vector struct {
	Name   string            `json:"name"`
	Rules  []string          `json:"rules"`
	Events []json.RawMessage `json:"events"`
	Want   json.RawMessage   `json:"want"`
}

func TestVectorsFoldToTheirNotebooks(t *testing.T) {
	for _, family := range []string{"notebook", "runs", "outputs", "comms"} {
		name := spec + "vectors/" + family + ".json"
		vectors := readVectors(t, name)
		for i := range vectors {
			t.Run(family+"/"+strings.Join(vectors[i].Rules, " ")+" "+vectors[i].Name, func(t *testing.T) { runVector(t, &vectors[i]) })
		}
		if *update {
			if err := os.WriteFile(name, layout(vectors), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func readVectors(t *testing.T, name string) []vector {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return vectors
}

func runVector(t *testing.T, v *vector) {
	n := New()
	for i, data := range v.Events {
		e, err := event.Decode(data)
		if err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
		if err := e.Payload.Check(); err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
		n.Apply(&e, nil) //nolint:errcheck // some are moot, which the notebook must show
	}
	got := bare(t, n)
	if *update {
		v.Want = got
	}
	check(t, "notebook", compact(t, got), compact(t, v.Want))
}

// bare returns the snapshot of a notebook without its members seq and clients.
func bare(t *testing.T, n *Notebook) json.RawMessage {
	t.Helper()
	var s snapshot
	if err := json.Unmarshal([]byte(snapshotOf(t, n)), &s); err != nil {
		t.Fatal(err)
	}
	s.Clients, s.Owners = nil, nil
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		snapshot
		Seq int `json:"seq,omitempty"`
	}{snapshot: s}); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(buf.Bytes())
}

func compact(t *testing.T, data json.RawMessage) string {
	t.Helper()
	var buf bytes.Buffer
	if err := json.Compact(&buf, data); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// layout writes vectors with a line for each event and each row of a notebook.
func layout(vectors []vector) []byte {
	var all []string
	for _, v := range vectors {
		rules, _ := json.Marshal(v.Rules)
		all = append(all, fmt.Sprintf("{\n  \"name\": %q,\n  \"rules\": %s,\n  \"events\": %s,\n  \"want\": %s\n}",
			v.Name, rules, lines("[", v.Events, "]", "  "), members(v.Want)))
	}
	return []byte("[\n" + strings.Join(all, ",\n") + "\n]\n")
}

// lines formats values, one a line.
func lines[T ~[]byte | ~string](start string, values []T, end, indent string) string {
	if len(values) == 0 {
		return start + end
	}
	var b strings.Builder
	for i, v := range values {
		fmt.Fprintf(&b, "%s\n%s  %s", ","[:min(i, 1)], indent, v)
	}
	return start + b.String() + "\n" + indent + end
}

// members puts each member of an object on a line of its own, and each element of
// those that are lists.
func members(object json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.Token() //nolint:errcheck // the fold made the object
	var all []string
	for dec.More() {
		key, _ := dec.Token()
		var value json.RawMessage
		dec.Decode(&value) //nolint:errcheck // as above
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil {
			value = json.RawMessage(lines("[", list, "]", "    "))
		}
		all = append(all, fmt.Sprintf("%q: %s", key, value))
	}
	return lines("{", all, "}", "  ")
}

func TestEveryRuleHasATestThatNamesIt(t *testing.T) {
	rules := map[string]bool{}
	for _, family := range []string{"notebook", "runs", "outputs", "runtimes", "comms"} {
		data, err := os.ReadFile(spec + family + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^- \*\*([A-Z]+[0-9]+)\*\* `).FindAllStringSubmatch(string(data), -1) {
			if rules[m[1]] {
				t.Errorf("rule %s is there twice", m[1])
			}
			rules[m[1]] = true
		}
	}
	named := rulesOfTests(t)
	for rule := range rules {
		if !slices.Contains(named, rule) {
			t.Errorf("no test names rule %s", rule)
		}
	}
	for _, name := range named {
		if !rules[name] {
			t.Errorf("a test names rule %s, which is none", name)
		}
	}
}

// rulesOfTests returns the rules that tests and vectors name.
func rulesOfTests(t *testing.T) []string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		data, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func Test([A-Z]{2}[0-9]+)`).FindAllStringSubmatch(string(data), -1) {
			rules = append(rules, m[1])
		}
	}
	for _, family := range []string{"notebook", "runs", "outputs", "comms"} {
		for _, v := range readVectors(t, spec+"vectors/"+family+".json") {
			rules = append(rules, v.Rules...)
		}
	}
	return rules
}
