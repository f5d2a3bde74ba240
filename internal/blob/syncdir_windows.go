package blob

// syncDir does nothing: Windows journals the names in a folder itself, and has no call to wait for
// that.
func syncDir(string) error { return nil }
