package replica

// showAll tells a member who else is here.
func (s *Sequencer) showAll(m *Member) {
	var peers []Peer
	for other := range s.members {
		if other != m && other.shown {
			peers = append(peers, other.peer())
		}
	}
	s.moved[m] = true
	if len(peers) > 0 {
		m.tell(&Peers{Peers: peers})
	}
}

// Moved reports whether [Sequencer.TellPresence] has something to tell.
func (s *Sequencer) Moved() bool { return len(s.moved)+len(s.gone) > 0 }

// TellPresence tells all members who came, moved and left since it last did. It is
// for the owner to call often enough to be live and seldom enough to be cheap.
func (s *Sequencer) TellPresence() {
	if !s.Moved() {
		return
	}
	news := &Peers{Gone: s.gone}
	for m := range s.moved {
		m.shown = true
		news.Peers = append(news.Peers, m.peer())
	}
	clear(s.moved)
	s.gone = nil
	data, err := EncodeToClient(news)
	if err != nil {
		return // presence is strings and numbers, which always encode
	}
	for m := range s.members {
		m.Out.add(item{data: data}) // one who is behind misses it, and loses nothing
	}
}
