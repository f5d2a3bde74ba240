package pipehost

import (
	"errors"
	"os"
)

// Pipes are the pipes of a program that is about to be started. A method makes a pipe and returns the program's end; what fails
// is an error of [Start].
type Pipes struct {
	requests, messages, out, err *os.File // our ends
	theirs                       []*os.File
	failed                       error
}

// Requests makes the pipe of the requests, which the program reads.
func (p *Pipes) Requests() *os.File { return p.Sent(&p.requests) }

// Messages makes the pipe of messages.
func (p *Pipes) Messages() *os.File { return p.read(&p.messages) }

// Out makes the pipe of text that is the program's stdout.
func (p *Pipes) Out() *os.File { return p.read(&p.out) }

// Err makes the pipe of text that is the program's stderr.
func (p *Pipes) Err() *os.File { return p.read(&p.err) }

// Sent makes a pipe that the program reads, and sets our end, which is closed by the caller.
func (p *Pipes) Sent(ours **os.File) *os.File {
	r, w, err := os.Pipe()
	*ours = w
	return p.Give(r, err)
}

func (p *Pipes) read(ours **os.File) *os.File {
	r, w, err := os.Pipe()
	*ours = r
	return p.Give(w, err)
}

// Give notes a file for the program, which Start closes here, or why there is none.
func (p *Pipes) Give(file *os.File, err error) *os.File {
	p.failed = errors.Join(p.failed, err)
	if err == nil {
		p.theirs = append(p.theirs, file)
	}
	return file
}
