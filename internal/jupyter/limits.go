package jupyter

import "github.com/quirehq/quire/internal/proc"

// Limits bound what a kernel may take; the processor time counts for all runs
// together.
type Limits = proc.Limits
