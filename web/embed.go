// Package web has the page that people use notebooks with, as `make web` builds it,
// for a program to carry. It does not depend on the contents: a host serves the files.
//
// The package builds without the page too; then there is no index.html.
package web

import (
	"embed"
	"io/fs"
)

// The build leaves its files in dist, and an empty .keep that is there without one.
//
//go:embed all:dist
var dist embed.FS

// App returns the files of the page.
func App() (fs.FS, error) { return fs.Sub(dist, "dist") }
