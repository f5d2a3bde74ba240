package proc

import "sync"

// Own bounds this process itself, and not its child processes. A nil one bounds nothing.
type Own struct {
	mu     sync.Mutex // held while a program is started, since it would inherit the bounds
	bounds []ownBound
}

// Start calls start, which starts a program, with the original limits of this process. The process
// is not bounded during the call.
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
