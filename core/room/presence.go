package room

import (
	"errors"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// checkPresence reports what is malformed in where somebody says to be. It goes to
// everybody, so that it must be small.
func checkPresence(p *protocol.Presence) error {
	if len(p.Name) > event.MaxKey {
		return errors.New("the name in a presence is too long")
	}
	if p.Cell == "" {
		return nil
	}
	return event.CheckName("cell", string(p.Cell))
}

// showAll tells a member who is here, as far as others know of them.
func (s *Sequencer) showAll(m *Member) {
	all := &protocol.Peers{All: true}
	for other := range s.members {
		if other.shown {
			all.Peers = append(all.Peers, other.peer())
		}
	}
	m.missed = false
	m.tell(all)
}

// Moved reports whether [Sequencer.TellPresence] has something to tell.
func (s *Sequencer) Moved() bool { return len(s.moved)+len(s.gone) > 0 }

// TellPresence tells all members who came, moved and left since it last did. It is
// for the owner to call often enough to be live and seldom enough to be cheap.
func (s *Sequencer) TellPresence() {
	if !s.Moved() {
		return
	}
	news := &protocol.Peers{Gone: s.gone}
	for m := range s.moved {
		m.shown = true
		news.Peers = append(news.Peers, m.peer())
	}
	clear(s.moved)
	s.gone = nil
	data, err := protocol.EncodeToClient(news)
	if err != nil {
		return // presence is strings and numbers, which always encode
	}
	for m := range s.members {
		if m.missed || !m.Out.add(item{data: data}) {
			m.missed = true // it is told of all who are here once it takes messages again
			s.waitForSpace(m)
		}
	}
}
