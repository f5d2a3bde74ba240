package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// says are messages of a kernel about a run.
var says = []struct {
	on            channel
	kind, content string
}{
	{iopub, "status", `{"execution_state":"busy"}`},
	{iopub, "status", `{"execution_state":"idle"}`},
	{iopub, "execute_input", `{"code":"1","execution_count":3}`},
	{iopub, "stream", `{"name":"stdout","text":"a\n"}`},
	{iopub, "stream", `{"name":"stderr","text":"advice\nUsageError: x\n"}`},
	{iopub, "execute_result", `{"data":{"text/plain":"1"},"metadata":{},"execution_count":3,"transient":{"display_id":"d"}}`},
	{iopub, "display_data", `{"data":{"text/plain":["1","2"],"image/png":"iVBORw0K"}}`},
	{iopub, "update_display_data", `{"data":{"text/plain":"2"},"transient":{"display_id":"d"}}`},
	{iopub, "clear_output", `{"wait":true}`},
	{iopub, "error", `{"ename":"E","evalue":"v","traceback":["Cell In[1], line 2","two é🐎","^"]}`},
	{iopub, "error", `{"ename":"SystemExit","evalue":"0","traceback":[]}`},
	{shell, "execute_reply", `{"status":"ok","execution_count":3,"payload":[{"source":"page","data":{"text/plain":"x\u0008y"}},{"source":"set_next_input","text":"y"}]}`},
	{shell, "execute_reply", `{"status":"ok","payload":[{"source":"ask_exit","keepkernel":false}]}`},
	{shell, "execute_reply", `{"status":"error","ename":"E","evalue":"v","traceback":"<text>:1:9: x","execution_count":-1}`},
	{shell, "execute_reply", `{"status":"error","ename":"UsageError","evalue":"x"}`},
	{control, "execute_reply", `{"status":"aborted"}`},
	{shell, "kernel_info_reply", `{"status":"ok"}`},
	{stdin, "input_request", `{"prompt":"?","password":true}`},
	{iopub, "comm_open", `{"comm_id":"w","target_name":"jupyter.widget","data":{"state":{}}}`},
	{iopub, "comm_msg", `{"comm_id":"w","data":{"method":"echo_update","state":{}}}`},
	{iopub, "comm_close", `{"comm_id":"w","data":{}}`},
	{iopub, "debug_event", `{}`},
}

// FuzzConversation has a kernel send any messages in any order about the current run. The run ends
// once, when the kernel has both replied and reported idle, and later output is late output of it.
// A move picks a message, its parent, and whether its content is another one.
func FuzzConversation(f *testing.F) {
	f.Add([]byte{0, 2, 3, 5, 11, 1, 3}, `{"data":{"text/plain":NaN}}`)
	f.Add([]byte{0, 9, 13, 1, 3, 6}, `{"status":"ok"}`)
	f.Add([]byte{4, 14, 12, 1, 1}, `[]`)
	f.Add([]byte{18, 19 + 64, 20 + 128, 3 + 64, 17, 8, 7, 10 + 128, 11 + 64, 16}, `{"comm_id":1,"data":{"method":"update"}}`)
	f.Add([]byte{0, 2 + 32, 9 + 32, 11 + 32, 1}, `{"execution_count":1e99,"traceback":["Cell In[1], line 99999999999"],"status":7}`)
	f.Fuzz(func(t *testing.T, moves []byte, other string) {
		c := newConversation()
		replied, idle := false, false
		for _, move := range moves[:min(len(moves), 64)] {
			m := says[int(move&31)%len(says)]
			about := []string{"run", "run", "other", "comm"}[move>>6]
			if move&32 != 0 {
				m.content = other
			}
			c.say(string(m.on), about, m.kind, m.content)
			if about == "run" {
				var status struct {
					State string `json:"execution_state"`
				}
				(&message{content: []byte(m.content)}).decode(&status)
				replied = replied || m.kind == "execute_reply"
				idle = idle || m.kind == "status" && status.State == "idle"
			}
			if ended := len(c.run.done) > 0; ended != (replied && idle) {
				t.Fatalf("the run ended %t at a %s: replied %t, idle %t", ended, m.kind, replied, idle)
			}
		}
		if len(c.run.done) == 0 {
			return
		}
		end := <-c.run.done
		if len(c.run.done) > 0 {
			t.Fatal("the run ended twice")
		}
		checkPlace(t, end.result.Err, c.run.req.Source)
		before := len(c.sink.Events)
		c.say("iopub", "run", "display_data", `{"data":{"text/plain":"late"}}`)
		if len(c.sink.Events) != before+1 {
			t.Fatalf("got %d outputs, want one more than %d: what is late was lost", len(c.sink.Events), before)
		}
	})
}

// conversation is an engine in a run, without a kernel.
type conversation struct {
	engine *Engine
	link   *link
	run    *run
	sink   *langtest.Recorder
}

func newConversation() conversation {
	e := &Engine{
		config:   Config{Kernel: Kernel{Name: "fuzz", Language: "fuzz", Argv: []string{"fuzz"}}},
		patience: time.Hour, waiting: map[string]*waiting{}, comms: newComms(), ready: true,
	}
	sink := &langtest.Recorder{}
	r := &run{
		ctx: context.Background(), req: lang.Request{Source: "one\ntwo é🐎\n"}, sink: sink, id: "run", done: make(chan outcome, 2), outstanding: map[string]bool{},
		asking: questions{ctx: context.Background(), giveUp: func(*header, string) {}},
	}
	e.run = r
	e.Comms(sink)
	return conversation{engine: e, link: &link{signer: newSigner("key"), inbox: newInbox(func(bool) {})}, run: r, sink: sink}
}

func (c conversation) say(on, about, kind, content string) {
	m := &message{header: header{Type: kind}, parent: header{ID: about}, content: json.RawMessage(content), metadata: json.RawMessage(content), size: len(content)}
	for _, ch := range channels() {
		if string(ch) == on {
			m.channel = ch
		}
	}
	if about == "comm" {
		m.parent.Type = "comm_msg"
	}
	c.engine.handleMessage(c.link, m)
	if c.run.overdue != nil {
		c.run.overdue.Stop()
	}
}

// checkPlace checks that the place of an error is in the source.
func checkPlace(t *testing.T, failed *lang.Error, source string) {
	t.Helper()
	if failed == nil {
		return
	}
	lines := strings.Split(source, "\n")
	if failed.Line < 0 || failed.Line > len(lines) || failed.Column < 0 || failed.Line == 0 && failed.Column != 0 {
		t.Fatalf("got line %d, column %d of %q", failed.Line, failed.Column, source)
	}
	if failed.Line > 0 && failed.Column > len(utf16.Encode([]rune(lines[failed.Line-1])))+1 {
		t.Fatalf("got column %d of %q", failed.Column, lines[failed.Line-1])
	}
}

// FuzzTracebacks parses errors of a kernel for the place in the source.
func FuzzTracebacks(f *testing.F) {
	f.Add([]byte(`["Cell In[1], line 2","    1/0  é","     ^"]`), "x = 1\n  1/0  é")
	f.Add([]byte(`["\u001b[0;36mInput In [3], in <cell line: 1>()\u001b[0m"]`), "1/0")
	f.Add([]byte(`"Error in parse(text = x): <text>:2:99999999999999999999: unexpected"`), "a\n🐎b")
	f.Add([]byte(`["<text>:1:3: x", 4]`), "f(")
	f.Add([]byte(`["File \"<ipython-input-1-a>\", line 1","x","^"]`), "")
	f.Fuzz(func(t *testing.T, trace []byte, source string) {
		got := (&kernelError{Name: "E", Trace: trace}).shape(source)
		checkPlace(t, got, source)
		for _, line := range got.Trace {
			if strings.Contains(line, "\n") {
				t.Fatalf("got %q for a line", line)
			}
		}
	})
}

// FuzzCompletions checks that the range to replace is within the source.
func FuzzCompletions(f *testing.F) {
	f.Add([]byte(`{"matches":["print"],"cursor_start":0,"cursor_end":3,"metadata":{"_jupyter_types_experimental":[{"text":"print","type":"<unknown>","signature":"(x)"}]}}`), "é🐎pr")
	f.Add([]byte(`{"matches":["a","b"],"cursor_start":9,"cursor_end":-1}`), "ab")
	f.Add([]byte(`{"matches":null,"cursor_start":1e3}`), "")
	f.Fuzz(func(t *testing.T, reply []byte, source string) {
		var found completion
		(&message{content: reply}).decode(&found)
		got := found.in(source)
		if most := len(utf16.Encode([]rune(source))); got.Start < 0 || got.Start > got.End || got.End > most || len(got.Items) != len(found.Matches) {
			t.Fatalf("got %+v of %s, and the source has %d units", got, reply, most)
		}
		at := into(source, found.Start)
		if at < found.Start || at > found.Start+1 {
			t.Fatalf("got the cursor %d of %d", at, found.Start)
		}
		_ = signature(unstyled(source))
	})
}

// FuzzNearlyJSON checks that JSON is decoded unchanged, and the numbers outside JSON of some
// kernels as ipykernel would have sent them.
func FuzzNearlyJSON(f *testing.F) {
	for _, seed := range []string{`{"x":NaN,"y":[-Infinity,Infinity],"z":"NaN \" Infinity"}`, `NaN`, `"`, `"\`, `-Infinityx`, `{"NaN":1}`, `1`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		mended := mend(data)
		if !bytes.Equal(mend(mended), mended) && json.Valid(mended) {
			t.Fatalf("%s is mended to %s, and that once more", data, mended)
		}
		var got, want any
		err := unmarshal(data, &got)
		if json.Unmarshal(data, &want) == nil {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if err != nil || !bytes.Equal(a, b) {
				t.Fatalf("%s: got %s (%v), want %s", data, a, err, b)
			}
			return
		}
		if err == nil && !json.Valid(mended) {
			t.Fatalf("%s was read, and is no JSON as %s", data, mended)
		}
	})
}

// FuzzKernelSpecs reads an untrusted kernelspec: it can be started, or its fault names the file and
// the problem.
func FuzzKernelSpecs(f *testing.F) {
	for _, seed := range []string{
		`{"argv":["python","-m","ipykernel_launcher","-f","{connection_file}"],"display_name":"Python 3","language":"python","env":{"A":"${HOME}/x$$"},"interrupt_mode":"signal"}`,
		`{"argv":["{resource_dir}/k","{connection_file}"],"language":" R "}`, `{"argv":[],"language":"x"}`, `{"argv":["a"],"language":"x"}`, `{"argv":["{connection_file}"]}`,
		`{"argv":["","{connection_file}"],"language":"x"}`, `{"argv":"x"}`, `[`, `null`, `{"argv":["k{connection_file}"],"language":"x","interrupt_mode":"none"}`,
	} {
		f.Add([]byte(seed))
	}
	dir := filepath.Join(f.TempDir(), "Fuzz")
	if err := os.Mkdir(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, specFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		k := readKernel(dir)
		if k.Name != "fuzz" || k.Dir != dir {
			t.Fatalf("got %+v", k)
		}
		if k.Fault != nil {
			if said := k.Fault.Error(); !strings.Contains(said, filepath.Join(dir, specFile)) || len(said) > len(data)*6+1000 {
				t.Fatalf("got %q", said)
			}
			return
		}
		if k.Display == "" || k.Language == "" || k.Language != strings.ToLower(k.Language) {
			t.Fatalf("got %+v", k)
		}
		argv, environ := k.command("/run/kernel.json", []string{"HOME=/home/ada"})
		if argv[0] == "" || !slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, "/run/kernel.json") }) {
			t.Fatalf("got %q, and the kernel would not know where to listen", argv)
		}
		if environ[0] != "HOME=/home/ada" || len(environ) != 1+len(k.Env) {
			t.Fatalf("got %q", environ)
		}
	})
}

// FuzzPipes checks that the text written outside the protocol does not depend on the pieces in
// which it arrives.
func FuzzPipes(f *testing.F) {
	f.Add([]byte("aé🐎\xf0\x9f"), uint8(1))
	f.Add([]byte("\xff\xfe\x80"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, part uint8) {
		var d lang.TextDecoder
		var got strings.Builder
		for rest := data; len(rest) > 0; {
			n := min(len(rest), int(part)+1)
			got.WriteString(d.Decode(bytes.Clone(rest[:n]), false))
			rest = rest[n:]
		}
		got.WriteString(d.Decode(nil, true))
		var whole lang.TextDecoder
		if want := whole.Decode(bytes.Clone(data), true); got.String() != want || !utf8.ValidString(want) {
			t.Fatalf("got %q in parts of %d, want %q", got.String(), int(part)+1, want)
		}
	})
}
