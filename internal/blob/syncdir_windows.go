package blob

// syncDir does nothing: Windows keeps the names in a folder in a journal of its own,
// and cannot be told to wait for it.
func syncDir(string) error { return nil }
