package conformance

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/internal/script"
)

// rawRule is a rule of the protocol, for an engine on its pipes.
type rawRule struct {
	name string
	test func(t *T, config script.Config, programs Programs)
}

func rawRules() []rawRule {
	return []rawRule{
		{"says hello first, in version 1", greets},
		{"ends an empty run", endsEmptyRun},
		{"ignores a message that is new to it", ignoresNews},
		{"ignores an answer that it has not asked for", ignoresAnswer},
		{"ends when its requests end", endsWithRequests},
	}
}

// limit bounds the wait for a message or an end.
const limit = 20 * time.Second

// conn is an engine on its pipes.
type conn struct {
	t        *T
	cmd      *exec.Cmd
	requests io.WriteCloser
	messages <-chan engineproto.FromEngine
	broken   error // read once messages is closed
}

// dial starts an engine and reads its hello.
func dial(t *T, config script.Config) (*conn, *engineproto.Hello) {
	c := &conn{t: t, cmd: exec.Command(config.Command[0], config.Command[1:]...)}
	c.cmd.Dir = config.Dir
	c.cmd.Env = append(slices.Clone(config.Env), engineproto.PipesVariable+"="+config.Pipes.String())
	if config.Env == nil {
		c.cmd.Env = append(os.Environ(), engineproto.PipesVariable+"="+config.Pipes.String())
	}
	theirRequests, requests, err := os.Pipe()
	messages, theirMessages, err2 := os.Pipe()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if config.Pipes == script.Stdio {
		c.cmd.Stdin, c.cmd.Stdout = theirRequests, theirMessages
	} else {
		c.cmd.ExtraFiles = []*os.File{theirRequests, theirMessages}
	}
	err = c.cmd.Start()
	_, _ = theirRequests.Close(), theirMessages.Close()
	if err != nil {
		t.Fatalf("start the engine: %v", err)
	}
	c.requests = requests
	c.messages = c.read(messages)
	t.Cleanup(func() {
		_ = requests.Close()
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
		for range c.messages { // what it has said meanwhile
		}
		_ = messages.Close()
	})
	for {
		switch m := c.next().(type) {
		case *engineproto.Progress:
		case *engineproto.Hello:
			return c, m
		default:
			t.Fatalf("got %T first, want a hello", m)
		}
	}
}

func (c *conn) read(from io.Reader) <-chan engineproto.FromEngine {
	messages := make(chan engineproto.FromEngine)
	go func() {
		defer close(messages)
		lines := engineproto.NewLines(from)
		for {
			line, err := lines.Next()
			if err != nil {
				c.broken = err
				return
			}
			m, err := engineproto.DecodeFromEngine(line)
			if err != nil {
				c.broken = err
				return
			}
			if m != nil {
				messages <- m
			}
		}
	}()
	return messages
}

// next returns the next message.
func (c *conn) next() engineproto.FromEngine {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case m, ok := <-c.messages:
		if !ok {
			c.t.Fatalf("the engine ended or broke the protocol: %v", c.broken)
		}
		return m
	case <-timer.C:
		c.t.Fatalf("no message came within %v", limit)
	}
	return nil
}

// send writes a line as it is.
func (c *conn) send(line string) {
	if _, err := io.WriteString(c.requests, line+"\n"); err != nil {
		c.t.Fatalf("the engine does not read its requests: %v", err)
	}
}

// run sends an empty run, and waits for its end.
func (c *conn) run(number int) {
	line, err := engineproto.EncodeFromHost(&engineproto.Run{Run: number, Name: "check"})
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(line[:len(line)-1]))
	for {
		done, ok := c.next().(*engineproto.Done)
		if !ok {
			continue
		}
		if done.Run != number {
			c.t.Fatalf("got the end of run %d, want that of %d", done.Run, number)
		}
		return
	}
}

func greets(t *T, config script.Config, _ Programs) {
	_, hello := dial(t, config)
	if hello.Protocol != engineproto.Version {
		t.Errorf("got version %d of the protocol, want %d", hello.Protocol, engineproto.Version)
	}
	if !slices.Contains([]engineproto.Interrupts{engineproto.BySignal, engineproto.ByMessage, engineproto.Never}, hello.Interrupt) {
		t.Errorf("got the interrupt %q, want signal, message or none", hello.Interrupt)
	}
	if cmp.Or(hello.Language) == "" {
		t.Error("got no language")
	}
}

func endsEmptyRun(t *T, config script.Config, _ Programs) {
	c, _ := dial(t, config)
	c.run(1)
	c.run(2)
}

func ignoresNews(t *T, config script.Config, _ Programs) {
	c, _ := dial(t, config)
	c.send(`{"type":"a message of a later version","x":{"y":[1]}}`)
	c.run(1)
}

func ignoresAnswer(t *T, config script.Config, _ Programs) {
	c, _ := dial(t, config)
	c.send(`{"type":"answer","id":7,"text":"late"}`)
	c.run(1)
}

func endsWithRequests(t *T, config script.Config, _ Programs) {
	c, _ := dial(t, config)
	c.run(1)
	if err := c.requests.Close(); err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case _, ok := <-c.messages:
			if !ok {
				return
			}
		case <-timer.C:
			t.Fatalf("the engine did not end within %v", limit)
		}
	}
}
