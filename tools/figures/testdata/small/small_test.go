package small

var _ = unused
