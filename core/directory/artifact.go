package directory

// Artifact is an artifact that a notebook refers to.
type Artifact struct{ Notebook, Hash string }
