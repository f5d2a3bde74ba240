package jupyter

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// held is what a run keeps back until it is known whether the reply says the same: an
// error that was published, or the line in which IPython words a wrong magic.
type held struct {
	failed *failure
	usage  string
}

// usageError is how IPython begins that line, and what it names the error of the reply.
const usageError = "UsageError"

// systemExit is how Python names the wish of a program to end.
const systemExit = "SystemExit"

// hold keeps an error back. Those before it are shown, since the program went on.
func (r *run) hold(failed *failure) {
	r.release()
	r.held.failed = failed
}

// holdUsage returns what of a text is to be shown now, and keeps back a line at its end
// that says how a magic is used.
func (r *run) holdUsage(name, text string) string {
	at := strings.LastIndex("\n"+text, "\n"+usageError+": ")
	if name != lang.Stderr || at < 0 || !strings.HasSuffix(text, "\n") {
		return text
	}
	r.held.usage = text[at:]
	return text[:at]
}

// release shows what is kept back, in its place: something follows it. The wish to end
// stays, because IPython prints advice after it.
func (r *run) release() {
	r.releaseUsage()
	if f := r.held.failed; f != nil && !f.isExit() {
		r.told = f
		r.sink.Fail(f.shape(r.req.Source))
		r.held.failed = nil
	}
}

func (r *run) releaseUsage() {
	if r.held.usage != "" {
		r.sink.Stream(lang.Stderr, r.held.usage)
		r.held.usage = ""
	}
}

// isExit reports whether an error is the wish of a program in Python to end, and all is
// well. The kernel has the status as a text.
func (f *failure) isExit() bool {
	return f.Name == systemExit && (f.Message == "" || f.Message == "0" || f.Message == "None" || f.Message == "False")
}

// isSame reports whether two messages tell of one error.
func (f *failure) isSame(other *failure) bool {
	return other != nil && f.Name == other.Name && f.Message == other.Message
}

// payload is a part of a reply that asks something of who shows the run.
type payload struct {
	Source     string                     `json:"source"`
	Data       map[string]json.RawMessage `json:"data"`
	Text       string                     `json:"text"`
	Replace    bool                       `json:"replace"`
	File       string                     `json:"filename"`
	KeepKernel json.RawMessage            `json:"keepkernel"` // what Python's exit got, whatever it is
}

// exit returns how a program ends itself that asks so by a payload. In Python's kernel a
// status that is not 0 is taken for the wish to keep the kernel: it is an error, as that of
// sys.exit.
func (p *payload) exit() (lang.Exit, *lang.Error) {
	var given any
	_ = json.Unmarshal(p.KeepKernel, &given) // without it, it is nil
	switch given {
	case true:
		return lang.Exited, nil
	case nil, false, 0.0, "": // for these the kernel ends
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

// showPayloads shows what the reply asks for: a page is an output.
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

// offer returns the source that the reply has for a cell, nil if it has none. As in
// JupyterLab it is the first.
func (r *run) offer() *lang.Offer {
	for _, p := range r.payloads() {
		if p.Source == "set_next_input" {
			return &lang.Offer{Source: p.Text, Replace: p.Replace}
		}
	}
	return nil
}

// exit returns how the program ended itself, if it did and nothing failed: well, or with an
// error.
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

// isGone reports whether the program ended itself and its kernel.
func (r *run) isGone() bool {
	exit, _ := r.exit()
	return exit == lang.ExitedGone
}

// result returns what a run came to, when all that it produced is delivered. What is kept
// back and is not what the reply says is shown.
func (e *Engine) result(r *run) lang.Result {
	result := lang.Result{Count: r.number(), Err: e.shape(r)}
	var f failure
	if r.reply != nil {
		r.reply.decode(&f)
	}
	switch {
	case r.reply == nil: // an error that is kept back is in the result already
		r.releaseUsage()
	case f.Status == "ok":
		r.endWell(&result)
	case f.isExit() && r.told == nil:
		result.Err, result.Exit = nil, lang.Exited
	case f.Name == usageError && r.held.usage == usageError+": "+f.Message+"\n", f.isSame(r.held.failed):
	default:
		r.release()
		result.Shown = f.isSame(r.told)
	}
	return result
}

// endWell makes a run a failed one all the same if errors were published during it: the
// reply says that all is well when a magic has caught an error and shown it.
func (r *run) endWell(result *lang.Result) {
	r.releaseUsage()
	switch f := r.held.failed; {
	case f != nil && !f.isExit():
		result.Err = f.shape(r.req.Source)
	case r.told != nil:
		result.Err, result.Shown = r.told.shape(r.req.Source), true
	default:
		result.Exit, result.Err = r.exit()
	}
	if result.Err == nil {
		result.Offer = r.offer()
	}
}
