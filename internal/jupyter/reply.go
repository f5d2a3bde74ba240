package jupyter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// systemExit is the name of the exception with which a program in Python ends itself.
const systemExit = "SystemExit"

// isExit reports whether an error is Python's SystemExit with a status of success. The kernel has
// the status as a text.
func (f *kernelError) isExit() bool {
	return f.Name == systemExit && (f.Message == "" || f.Message == "0" || f.Message == "None" || f.Message == "False")
}

// isSame reports whether two messages report the same error.
func (f *kernelError) isSame(other *kernelError) bool {
	return other != nil && f.Name == other.Name && f.Message == other.Message
}

// payload is a part of a reply that asks the frontend for an action.
type payload struct {
	Source     string                     `json:"source"`
	Data       map[string]json.RawMessage `json:"data"`
	Text       string                     `json:"text"`
	Replace    bool                       `json:"replace"`
	File       string                     `json:"filename"`
	KeepKernel json.RawMessage            `json:"keepkernel"` // the argument of Python's exit, of any type
}

// exit interprets ask_exit. Python's kernel takes a status other than 0 for a request to keep the
// kernel; here it is an error, like that of sys.exit.
func (p *payload) exit() (lang.Exit, *lang.Error) {
	var given any
	_ = json.Unmarshal(p.KeepKernel, &given) // without it, it is nil
	switch given {
	case true:
		return lang.Exited, nil
	case nil, false, 0.0, "": // the kernel ends itself for these
		return lang.ExitedGone, nil
	}
	message, isText := given.(string)
	if !isText {
		message = string(p.KeepKernel)
	}
	return lang.NoExit, &lang.Error{Name: systemExit, Message: message}
}

func (r *run) payloads() []payload {
	if r.reply == nil {
		return nil
	}
	var reply struct {
		Payload []payload `json:"payload"`
	}
	r.reply.decode(&reply)
	return reply.Payload
}

// showPayloads shows the payloads of the reply: a page becomes an output.
func (r *run) showPayloads() {
	for _, p := range r.payloads() {
		switch {
		case p.Source == "page" && len(p.Data) > 0:
			r.release()
			var text string
			if json.Unmarshal(p.Data["text/plain"], &text) == nil {
				p.Data["text/plain"] = lang.Text("", overstrike.ReplaceAllString(text, "")).Data[""]
			}
			r.sink.Display(lang.Bundle{Data: p.Data}, "")
		case p.Source == "edit_magic":
			r.release()
			r.sink.Stream(lang.Stderr, fmt.Sprintf("No editor can be opened here. The file to edit is %s\n", p.File))
		}
	}
}

// offer returns the source that the reply has for a cell, nil if it has none. The first payload
// counts, as in JupyterLab.
func (r *run) offer() *lang.Offer {
	for _, p := range r.payloads() {
		if p.Source == "set_next_input" {
			return &lang.Offer{Source: p.Text, Replace: p.Replace}
		}
	}
	return nil
}

// exit reports whether the program ended itself, and with which error, if the run did not fail.
func (r *run) exit() (lang.Exit, *lang.Error) {
	for _, p := range r.payloads() {
		if p.Source == "ask_exit" {
			return p.exit()
		}
	}
	if f := r.held.failed; f != nil && f.isExit() {
		return lang.Exited, nil
	}
	return lang.NoExit, nil
}

// result returns the result of a run whose output is all delivered. Withheld output is shown unless
// the reply repeats it.
func (e *Engine) result(r *run) lang.Result {
	result := lang.Result{Count: r.number(), Err: e.shape(r)}
	var f kernelError
	if r.reply != nil {
		r.reply.decode(&f)
	}
	switch {
	case r.reply == nil: // a withheld error is in the result already
		r.releaseUsage()
	case f.Status == "ok":
		r.endWell(&result)
	case f.isExit() && r.shownFailure == nil:
		result.Err, result.Exit = nil, lang.Exited
	case f.Name == usageError && r.held.usage == usageError+": "+f.Message+"\n", f.isSame(r.held.failed):
	default:
		r.release()
		result.Shown = f.isSame(r.shownFailure)
	}
	return result
}

// shape returns the error of a run, nil if it did not fail.
func (e *Engine) shape(r *run) *lang.Error {
	e.mu.Lock()
	wasInterrupted, unanswered := r.interrupted, r.unanswered
	e.mu.Unlock()
	var f kernelError
	switch {
	case r.reply != nil:
		r.reply.decode(&f)
	case wasInterrupted:
	default:
		return &lang.Error{Name: noReply, Message: "the kernel finished without saying how: its reply was lost"}
	}
	if f.Status == "ok" {
		return nil
	}
	if f.Name == "" && r.held.failed != nil {
		f = *r.held.failed
	}
	failed := f.shape(r.req.Source)
	failed.Name = cmp.Or(failed.Name, interrupted)
	switch {
	case wasInterrupted && unanswered != "":
		failed.Message = unanswered
	case wasInterrupted && errors.Is(context.Cause(r.ctx), errTimeout):
		failed.Cause, failed.Message = lang.CauseTimedOut, fmt.Sprintf("the run was stopped after %v", r.req.Timeout)
	case wasInterrupted:
		failed.Cause = lang.CauseInterrupted
	case unanswered != "" && failed.Message == "":
		failed.Message = unanswered
	}
	return failed
}

// endWell has a run fail if errors were published during it, although the reply is ok: it is when a
// magic has caught an error and shown it.
func (r *run) endWell(result *lang.Result) {
	r.releaseUsage()
	switch f := r.held.failed; {
	case f != nil && !f.isExit():
		result.Err = f.shape(r.req.Source)
	case r.shownFailure != nil:
		result.Err, result.Shown = r.shownFailure.shape(r.req.Source), true
	default:
		result.Exit, result.Err = r.exit()
	}
	if result.Err == nil {
		result.Offer = r.offer()
	}
}
