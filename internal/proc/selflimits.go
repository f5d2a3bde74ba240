package proc

import (
	"fmt"
	"sync"
)

// Own bounds this process itself, and not its child processes. A nil one bounds nothing.
type Own struct {
	mu     sync.Mutex // held while a program is started, since it would inherit the bounds
	bounds []ownBound
	more   map[string]bool // the purposes for which there is more memory
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

// AllowMore raises the bound of memory by a number of bytes for a purpose, once.
func (o *Own) AllowMore(purpose string, memory int64) error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.more[purpose] {
		return nil
	}
	for i := range o.bounds {
		if err := o.bounds[i].raise(memory); err != nil {
			return fmt.Errorf("raise our own bound of memory for %s: %w", purpose, err)
		}
	}
	if o.more == nil {
		o.more = map[string]bool{}
	}
	o.more[purpose] = true
	return nil
}
