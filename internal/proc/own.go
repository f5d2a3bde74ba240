package proc

import "sync"

// Own bounds this process itself, and not the programs that it starts with it. A nil one
// bounds nothing.
type Own struct {
	mu     sync.Mutex // held while a program is started, which would inherit the bounds
	bounds []ownBound
}

// Start calls what starts a program, which is held to what this process was before it was
// bounded. The process is not bounded for that moment.
func (o *Own) Start(start func() error) error {
	if o == nil {
		return start()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, b := range o.bounds {
		if err := b.lift(); err != nil {
			return err
		}
	}
	err := start()
	for _, b := range o.bounds {
		b.hold()
	}
	return err
}
