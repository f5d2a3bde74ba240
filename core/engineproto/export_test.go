package engineproto

// Bound sets the length of the longest line.
func (l *Lines) Bound(most int) { l.most = most }
