package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// OpenArtifact opens an artifact of the notebook at hand. The caller closes it.
type OpenArtifact func(event.Artifact) (io.ReadCloser, error)

// excerpt is the shown part of a longer text. It is not written where the whole text
// is to be.
type excerpt struct{ text string }

// drop removes units from the end, and returns how many are left to remove before it.
func (x *excerpt) drop(units int) int {
	own := min(units, text.UTF16Len(x.text))
	x.text = x.text[:text.WithoutUTF16(x.text, own)]
	return units - own
}

// store writes the rest of a text that has moved to an artifact. If the artifact cannot be read,
// the known part is written, and the command fails in the end.
func (p *Printer) store(t *textOutput, a event.Artifact) {
	t.waits = false
	r, err := p.Open(a)
	if err == nil {
		err = errors.Join(p.rest(t, r), r.Close())
	}
	if err != nil {
		p.Failed = fmt.Errorf("a text of %d bytes could not be read whole, artifact %s: %w", a.Size, a.Hash, err)
		p.giveExcerpt(t)
		return
	}
	t.held, t.excerpt = "", excerpt{}
}

// rest writes the part of a text behind the lines that are written.
func (p *Printer) rest(t *textOutput, r io.Reader) error {
	if p.last != t {
		p.flush()
		p.last = t
	}
	t.held = ""
	in := bufio.NewReaderSize(r, 64<<10)
	for range t.lines {
		if err := skipLine(in); err != nil {
			return err
		}
	}
	if t.part != "" {
		if begin, err := in.Peek(len(t.part)); err == nil && string(begin) == t.part {
			_, _ = in.Discard(len(t.part))
		} else {
			t.w.endLine()
		}
	}
	buf, held := make([]byte, 64<<10), ""
	for {
		n, err := in.Read(buf)
		t.written(string(buf[:n]))
		var text string
		text, held = t.w.stream.printed(held + string(buf[:n]))
		t.w.write(text)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// skipLine reads up to the end of a line, however long it is.
func skipLine(in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		switch {
		case err == nil, errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// giveExcerpt writes the excerpt of a text, for there is no more of it.
func (p *Printer) giveExcerpt(t *textOutput) {
	if text := t.excerpt.text; text != "" {
		t.excerpt = excerpt{}
		p.append(t, 0, text)
	}
}

// written notes the written part of a text.
func (t *textOutput) written(s string) {
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		t.lines += strings.Count(s, "\n")
		t.part = s[i+1:]
		return
	}
	if len(t.part) < maxTail {
		t.part += s
	}
}

// wholeText writes a value whose plain text is an artifact, and reports whether it could.
func (p *Printer) wholeText(v *event.Output) bool {
	a, ok := v.Artifacts[artifact.Plain]
	if !ok || p.Open == nil {
		return false
	}
	r, err := p.Open(a)
	if err == nil {
		p.flush()
		p.out.endLine()
		err = errors.Join(p.rest(&textOutput{w: p.out}, r), r.Close())
		p.out.endLine()
	}
	if err != nil {
		p.Failed = fmt.Errorf("a text of %d bytes could not be read whole, artifact %s: %w", a.Size, a.Hash, err)
	}
	p.last = nil
	return err == nil
}
