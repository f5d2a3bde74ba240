package runtime

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
)

// maxOffer is how many bytes an offered source may have in a message. The room makes an
// event of it that has to fit one as well.
const maxOffer = protocol.MaxMessage - 4096

// offerOf returns the event that offers what a program offers, nil if it does not or if it
// is too large, which the run says then.
func (rt *Runtime) offerOf(run *notebook.Run, result lang.Result, out *sink) event.Payload {
	if result.Offer == nil {
		return nil
	}
	source := strings.ReplaceAll(strings.ToValidUTF8(result.Offer.Source, "\uFFFD"), "\r\n", "\n")
	if n := jsonLen(source); n > maxOffer {
		out.Stream(lang.Stderr, fmt.Sprintf("The source for a cell has %d MiB, and a cell takes %d MiB at most\n", n>>20, maxOffer>>20))
		return nil
	}
	return &event.SourceOffered{
		Run: run.ID, Epoch: rt.epoch, Cell: event.CellID(rt.newOutput()), Source: source, Replace: result.Offer.Replace,
	}
}
