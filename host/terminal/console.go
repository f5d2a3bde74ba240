package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Console asks the user.
type Console interface {
	// Ask shows a prompt and returns the line that is typed, without its end. The
	// answer to a secret prompt is not shown. It is called by one goroutine.
	Ask(prompt string, secret bool) (string, error)
	// Ends reports that the end of the input is final: no user can type more.
	Ends() bool
	// Restore restores the terminal from an Ask that goes on.
	Restore()
}

// terminalConsole is the console of the terminal that stdin and stderr are.
type terminalConsole struct {
	in    *os.File
	lines *bufio.Reader
	out   io.Writer
	state *term.State // as the terminal was found
}

// NewConsole returns the console of the terminal that in is. Prompts are written to out.
func NewConsole(in *os.File, out io.Writer) (Console, error) {
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("look at the terminal: %w", err)
	}
	return &terminalConsole{in: in, lines: bufio.NewReader(in), out: out, state: state}, nil
}

func (c *terminalConsole) Ask(prompt string, secret bool) (string, error) {
	if _, err := io.WriteString(c.out, prompt); err != nil {
		return "", err
	}
	if !secret {
		line, err := c.lines.ReadString('\n')
		return strings.TrimRight(line, "\r\n"), err
	}
	line, err := term.ReadPassword(int(c.in.Fd()))
	_, _ = io.WriteString(c.out, "\n") // it showed no line end
	return string(line), err
}

func (c *terminalConsole) Ends() bool { return false }

func (c *terminalConsole) Restore() { _ = term.Restore(int(c.in.Fd()), c.state) }

// NewPipedConsole returns the console of an input that is no terminal.
func NewPipedConsole(in io.Reader) Console { return &pipedConsole{bufio.NewReader(in)} }

// pipedConsole answers from an input that is no terminal, a line for each question. Nothing is
// read before there is one.
type pipedConsole struct{ lines *bufio.Reader }

func (c *pipedConsole) Ask(string, bool) (string, error) {
	line, err := c.lines.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		err = io.EOF // a stream that cannot be read has no more answers
	}
	if line != "" {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

func (c *pipedConsole) Ends() bool { return true }

func (c *pipedConsole) Restore() {}
