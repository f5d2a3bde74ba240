package server

import (
	"sync"
)

// holds keeps apart those who put bytes under a hash and who deletes them. Bytes may
// be there already when somebody puts them, and nobody has them yet: without this they
// could be deleted between being found and being noted.
type holds struct {
	mu sync.Mutex
	of map[string]*hold // by hash, while somebody uses it
}

type hold struct {
	sync.RWMutex     // shared by those who put, held alone by who deletes
	users        int // guarded by holds.mu
}

// keep has the bytes of a hash not deleted until release is called. It waits while
// they are being deleted.
func (h *holds) keep(hash string) (release func()) {
	one := h.enter(hash)
	one.RLock()
	return func() {
		one.RUnlock()
		h.leave(hash)
	}
}

// alone calls f while nobody puts the bytes of a hash, unless somebody does.
func (h *holds) alone(hash string, f func() error) error {
	one := h.enter(hash)
	defer h.leave(hash)
	if !one.TryLock() {
		return nil
	}
	defer one.Unlock()
	return f()
}

func (h *holds) enter(hash string) *hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[string]*hold{}
	}
	if h.of[hash] == nil {
		h.of[hash] = &hold{}
	}
	h.of[hash].users++
	return h.of[hash]
}

func (h *holds) leave(hash string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[hash].users--; h.of[hash].users == 0 {
		delete(h.of, hash)
	}
}
