package server

import (
	"time"
)

// NewArtifactLink asks for a link to an artifact.
type NewArtifactLink struct {
	Type string `json:"type,omitempty" jsonschema:"of the content, such as image/png, which is served as such if it is"`
	Name string `json:"name,omitempty" jsonschema:"of the file, if it is saved"`
}

// ArtifactLink is a link by which anybody can read an artifact for some time.
type ArtifactLink struct {
	URL     string    `json:"url" jsonschema:"a path on this server"`
	Expires time.Time `json:"expires"`
}

// linked is what a link says. It is signed, and so may be believed.
type linked struct {
	Notebook string `json:"n"`
	Hash     string `json:"h"`
	Type     string `json:"t,omitempty"`
	Name     string `json:"f,omitempty"`
	Expires  int64  `json:"e"` // seconds since 1970
}

func (l linked) until() int64 { return l.Expires }

// forArtifact is what links to artifacts are signed for.
const forArtifact = "artifact"
