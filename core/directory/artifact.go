package directory

// Artifact is an artifact in a notebook that has it.
type Artifact struct{ Notebook, Hash string }
