package runtime

import "github.com/quirehq/quire/core/event"

// Launch is what a new runtime must be told.
type Launch struct {
	Notebook string
	Runtime  event.RuntimeID // the session to serve as
	Token    string          // good for this notebook and this session only
}
