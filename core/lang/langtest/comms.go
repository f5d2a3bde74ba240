package langtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

func (s suite) comms() []rule {
	p := s.programs
	return []rule{
		{"delivers what goes over comms in order with the output", p.Comms, s.speaksInOrder},
		{"delivers what goes over comms to a run's sink that takes none", p.Comms, s.speaksElsewhere},
		{"delivers what goes over comms between runs", p.CommLater, s.speaksBetween},
		{"gives the program what is sent to it, in order", p.CommAnswers, s.hears},
		{"keeps what is sent while it executes until the run ends", p.CommAnswers, s.queuesDuringRun},
		{"takes so much while it executes and no more", p.CommAnswers, s.refusesWhenFull},
		{"echoes a change of a state", p.CommWidget, s.echoes},
		{"refuses what is sent after its end", p.CommAnswers, s.hearsNothing},
	}
}

// commQueue is a CommSink for tests.
type commQueue chan lang.CommMessage

// Comm implements lang.CommSink.
func (q commQueue) Comm(m lang.CommMessage) { q <- m }

// next returns the next message.
func (q commQueue) next(t TB) lang.CommMessage {
	t.Helper()
	select {
	case m := <-q:
		return m
	case <-deadline(t).Done():
		t.Fatal("no message has come")
		return lang.CommMessage{}
	}
}

// withComms returns a loaded engine that has comms, and the messages between runs.
func (s suite) withComms(t TB) (lang.Engine, lang.Commer, commQueue) {
	t.Helper()
	engine := s.load(t)
	commer := need(t, engine.Abilities().Commer)
	between := make(commQueue, 100)
	commer.Comms(between)
	return engine, commer, between
}

// open runs a program that opens a comm, and returns the opening message.
func open(t TB, engine lang.Engine, source string) lang.CommMessage {
	t.Helper()
	sink, result := run(t, engine, source)
	if result.Err != nil || len(sink.Comms) == 0 {
		t.Fatalf("got %v and %d messages, want a comm to be opened\n%s", result.Err, len(sink.Comms), sink.Text(lang.Stderr))
	}
	return sink.Comms[0]
}

// sameJSON fails the test unless two JSON values are the same.
func sameJSON(t TB, got json.RawMessage, want string) {
	t.Helper()
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("got data %s, want %s", got, want)
	}
}

func (s suite) speaksInOrder(t TB) {
	engine, _, between := s.withComms(t)
	for range 5 {
		sink, _ := run(t, engine, s.programs.Comms)
		same(t, sink, "stdout: a\n", "comm: open", "stdout: b\n", "comm: data", "comm: close", "stdout: c\n")
		checkComms(t, sink.Comms)
	}
	if len(between) > 0 {
		t.Errorf("got %d messages elsewhere, want none", len(between))
	}
}

// checkComms checks the messages of the program Comms.
func checkComms(t TB, got []lang.CommMessage) {
	t.Helper()
	if len(got) != 3 {
		t.Fatalf("got %d messages, want 3", len(got))
	}
	opened, sent, closed := got[0], got[1], got[2]
	if opened.Kind != lang.CommOpen || opened.Target != "test" || opened.Comm == "" {
		t.Errorf("got %+v, want a comm with the target test to be opened", opened)
	}
	sameJSON(t, opened.Data, `{"x":1}`)
	if sent.Kind != lang.CommData || sent.Comm != opened.Comm || len(sent.Buffers) != 1 || !bytes.Equal(sent.Buffers[0], []byte{0, 255}) {
		t.Errorf("got %+v, want data over %s with the bytes 0 and 255", sent, opened.Comm)
	}
	sameJSON(t, sent.Data, `{"y":[2]}`)
	if closed.Kind != lang.CommClose || closed.Comm != opened.Comm {
		t.Errorf("got %+v, want %s to be closed", closed, opened.Comm)
	}
}

// plainSink is a sink without comms.
type plainSink struct{ lang.Sink }

func (s suite) speaksElsewhere(t TB) {
	engine, _, between := s.withComms(t)
	if _, err := engine.Execute(deadline(t), lang.Request{Source: s.programs.Comms}, plainSink{&Recorder{}}); err != nil {
		t.Fatal(err)
	}
	checkComms(t, []lang.CommMessage{between.next(t), between.next(t), between.next(t)})
}

func (s suite) speaksBetween(t TB) {
	engine, _, between := s.withComms(t)
	opened := open(t, engine, s.programs.CommLater)
	m := between.next(t)
	if m.Kind != lang.CommData || m.Comm != opened.Comm {
		t.Errorf("got %+v, want data over %s", m, opened.Comm)
	}
	sameJSON(t, m.Data, `{"late":true}`)
}

func (s suite) hears(t TB) {
	engine, commer, between := s.withComms(t)
	opened := open(t, engine, s.programs.CommAnswers)
	for i := range 20 {
		data := json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))
		m := lang.CommMessage{Kind: lang.CommData, Comm: opened.Comm, Data: data, Buffers: [][]byte{{0, 255}}}
		check(t, commer.Send(deadline(t), m))
	}
	for i := range 20 {
		m := between.next(t)
		sameJSON(t, m.Data, fmt.Sprintf(`{"got":{"n":%d}}`, i))
		if len(m.Buffers) != 1 || !bytes.Equal(m.Buffers[0], []byte{0, 255}) {
			t.Errorf("got buffers %v, want the bytes 0 and 255", m.Buffers)
		}
	}
	expect(t, engine, s.programs.Hello, "stdout: hello\n")
}

// queuesDuringRun sends during a run that ends by an interrupt.
func (s suite) queuesDuringRun(t TB) {
	engine, commer, between := s.withComms(t)
	opened := open(t, engine, s.programs.CommAnswers)
	done := start(deadline(t), t, engine, lang.Request{Source: s.programs.Sleep})
	check(t, commer.Send(deadline(t), lang.CommMessage{Kind: lang.CommData, Comm: opened.Comm, Data: json.RawMessage(`1`)}))
	check(t, engine.Interrupt())
	if end := <-done; end.err != nil || len(end.sink.Comms) > 0 {
		t.Fatalf("got %v and %d messages within the run, want none", end.err, len(end.sink.Comms))
	}
	sameJSON(t, between.next(t).Data, `{"got":1}`)
}

// refusesWhenFull sends more than the queue holds, which the engine refuses at once.
func (s suite) refusesWhenFull(t TB) {
	engine, commer, _ := s.withComms(t)
	opened := open(t, engine, s.programs.CommAnswers)
	done := start(deadline(t), t, engine, lang.Request{Source: s.programs.Sleep})
	const most = 1_000_000
	var err error
	for n := 0; err == nil && n < most; n++ {
		err = commer.Send(deadline(t), lang.CommMessage{Kind: lang.CommData, Comm: opened.Comm, Data: json.RawMessage(`1`), Buffers: [][]byte{make([]byte, 1<<16)}})
	}
	busy(t, "send", err)
	check(t, engine.Close())
	<-done
}

func (s suite) echoes(t TB) {
	engine, commer, between := s.withComms(t)
	opened := open(t, engine, s.programs.CommWidget)
	if opened.Target != lang.WidgetTarget {
		t.Fatalf("got %+v, want a widget", opened)
	}
	check(t, commer.Send(deadline(t), lang.CommMessage{
		Kind: lang.CommData, Comm: opened.Comm, Data: json.RawMessage(`{"method":"update","state":{"value":9},"buffer_paths":[]}`),
	}))
	var got struct {
		Method string                     `json:"method"`
		State  map[string]json.RawMessage `json:"state"`
	}
	m := between.next(t)
	if err := json.Unmarshal(m.Data, &got); err != nil || got.Method != "echo_update" || string(got.State["value"]) != "9" {
		t.Errorf("got %s, want the echo of value 9", m.Data)
	}
}

func (s suite) hearsNothing(t TB) {
	engine, commer, _ := s.withComms(t)
	opened := open(t, engine, s.programs.CommAnswers)
	m := lang.CommMessage{Kind: lang.CommData, Comm: opened.Comm, Data: json.RawMessage(`1`)}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := commer.Send(ended, m); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cause of the context", err)
	}
	check(t, engine.Close())
	if err := commer.Send(deadline(t), m); !errors.Is(err, lang.ErrClosed) && !errors.Is(err, lang.ErrDied) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}
