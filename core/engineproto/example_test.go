package engineproto_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// shout is a language whose programs print themselves.
type shout struct{}

func (shout) Load(context.Context, func(lang.Progress)) (engineproto.Hello, error) {
	return engineproto.Hello{Language: "shout", Version: "1", Extension: ".txt", MIME: "text/plain"}, nil
}

func (shout) Run(_ context.Context, run *engineproto.Run, out *engineproto.Output) engineproto.Outcome {
	fmt.Fprintln(out.Stream(lang.Stdout), strings.ToUpper(run.Source))
	return engineproto.Outcome{}
}

// An engine in Go is an interpreter and a main function, which serves it on the pipes that the host names.
func ExampleServe() {
	pipes, err := engineproto.Standard(engineproto.Stdio) // of a program: os.Getenv(engineproto.PipesVariable)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	pipes.Requests = strings.NewReader(`{"type":"run","run":1,"source":"hello"}` + "\n")
	requests, end := io.Pipe() // it stays open until the run is done
	pipes.Requests = io.MultiReader(pipes.Requests, requests)
	pipes.Messages = messages{os.Stdout, end}
	if err := engineproto.Serve(context.Background(), pipes, shout{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output:
	// {"type":"hello","protocol":1,"language":"shout","version":"1","interrupt":"message","can":[],"raw":false,"extension":".txt","mime":"text/plain"}
	// {"type":"text","stream":"stdout","text":"HELLO\n"}
	// {"type":"done","run":1}
}

// messages closes the requests when a run is done, as a host does that has no other.
type messages struct {
	io.Writer
	end io.Closer
}

func (m messages) Write(line []byte) (int, error) {
	if strings.Contains(string(line), `"done"`) {
		defer m.end.Close()
	}
	return m.Writer.Write(line)
}
