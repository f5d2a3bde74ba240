package room

import "github.com/quirehq/quire/core/protocol"

// sendPeers sends a member the presence of all members that was published.
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

// PresenceChanged reports whether [Sequencer.PublishPresence] has changes to send.
func (s *Sequencer) PresenceChanged() bool { return len(s.presenceChanged)+len(s.departed) > 0 }

// PublishPresence sends all members the changes of presence since its last call. The owner
// calls it often enough to be live and seldom enough to be cheap.
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
			m.missedPresence = true // it gets all peers once its outbox is drained
			s.waitForSpace(m)
		}
	}
}
