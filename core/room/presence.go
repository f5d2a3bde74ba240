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

// sendPeers tells a member who is here, as far as others know of them.
func (s *Sequencer) sendPeers(m *Member) {
	all := &protocol.Peers{All: true}
	for other := range s.members {
		if other.announced {
			all.Peers = append(all.Peers, other.peer())
		}
	}
	m.missedPresence = false
	m.send(all)
}

// PresenceChanged reports whether [Sequencer.TellPresence] has something to tell.
func (s *Sequencer) PresenceChanged() bool { return len(s.presenceChanged)+len(s.departed) > 0 }

// PublishPresence tells all members who came, moved and left since it last did. It is
// for the owner to call often enough to be live and seldom enough to be cheap.
func (s *Sequencer) PublishPresence() {
	if !s.PresenceChanged() {
		return
	}
	news := &protocol.Peers{Gone: s.departed}
	for m := range s.presenceChanged {
		m.announced = true
		news.Peers = append(news.Peers, m.peer())
	}
	clear(s.presenceChanged)
	s.departed = nil
	data, err := protocol.EncodeToClient(news)
	if err != nil {
		return // presence is strings and numbers, which always encode
	}
	for m := range s.members {
		if m.missedPresence || !m.Out.add(item{data: data}) {
			m.missedPresence = true // it is told of all who are here once it takes messages again
			s.waitForSpace(m)
		}
	}
}
