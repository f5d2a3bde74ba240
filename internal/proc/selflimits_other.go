//go:build !linux

package proc

// BoundOwn bounds nothing: it needs Linux.
func BoundOwn(Limits) (*Own, error) { return nil, nil }

// ownBound exists on Linux only.
type ownBound struct{}

func (ownBound) lift() error { return nil }

func (ownBound) hold() {}

func (*ownBound) raise(int64) error { return nil }
