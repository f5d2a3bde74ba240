package doctor

// openFiles has no limit here.
func openFiles() (uint64, bool) { return 0, false }
