package server

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/csp"
	"github.com/quirehq/quire/host/server/problem"
)

// The files of the application's page that are more than files, and where it finds
// its assets and the frame of outputs.
const (
	indexFile = "index.html"
	frameFile = "frame.html"
	// serviceWorkerFile lies at the root, for it has to do with all of the page.
	serviceWorkerFile = "sw.js"

	assetsDir = "assets/"
)

// app is the files of the application's page. They are read where they are.
type app struct {
	fs   fs.FS
	tags map[string]string // by name; empty for assets, whose names change with what is in them

	before, behind []byte // the place of a notebook's first screen in the page
}

func newApp(fsys fs.FS) (*app, error) {
	a := &app{fs: fsys, tags: map[string]string{}}
	if fsys == nil {
		return a, nil
	}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		a.tags[name] = ""
		if strings.HasPrefix(name, assetsDir) {
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		sum := sha256.Sum256(data)
		a.tags[name] = hex.EncodeToString(sum[:12])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look at the application's files: %w", err)
	}
	if a.has(indexFile) {
		a.before, a.behind, err = firstParts(fsys)
	}
	return a, err
}

func (a *app) has(name string) bool {
	_, ok := a.tags[name]
	return ok
}

// offers reports whether there is a file that may be asked for by its name: one that
// is no other in a compressed form.
func (a *app) offers(name string) bool {
	for _, k := range codings() {
		if plain, ok := strings.CutSuffix(name, k.ending); ok && a.has(plain) {
			return false
		}
	}
	return a.has(name)
}

// coding is a compressed form that a file may have beside it.
type coding struct{ name, ending string }

func codings() []coding { return []coding{{"br", ".br"}, {"gzip", ".gz"}} }

// send answers with a file, compressed if it is there that way and the client takes it.
func (a *app) send(c *call, name string) error {
	h := c.w.Header()
	h.Set("Content-Type", typeOf(name))
	h.Set("Permissions-Policy", csp.UnusedFeatures())
	if strings.HasPrefix(name, assetsDir) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	sent := name
	for _, k := range codings() {
		if !a.has(name + k.ending) {
			continue
		}
		h.Set("Vary", "Accept-Encoding")
		if sent == name && accepts(c.r.Header.Get("Accept-Encoding"), k.name) {
			sent = name + k.ending
			h.Set("Content-Encoding", k.name)
		}
	}
	if tag := a.tags[sent]; tag != "" {
		h.Set("ETag", `"`+tag+`"`)
	}
	return a.sendAs(c, name, sent)
}

// sendAs answers with what is in one file under the name of another.
func (a *app) sendAs(c *call, name, sent string) error {
	f, err := a.fs.Open(sent)
	if err != nil {
		return err
	}
	defer f.Close()
	content, ok := f.(io.ReadSeeker)
	if !ok {
		return fmt.Errorf("file %s cannot be read from any place", sent)
	}
	if info, err := f.Stat(); err == nil {
		c.w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	http.ServeContent(c.w, c.r, name, time.Time{}, content)
	return nil
}

// accepts reports whether an Accept-Encoding header takes a coding.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		q, given := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
		n, err := strconv.ParseFloat(q, 64)
		return !given || err == nil && n > 0
	}
	return false
}

// typeOf returns the type of a file. It asks nobody else: what a machine thinks of an
// ending must not decide whether the page works there.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".wasm":
		return "application/wasm"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	case ".woff2":
		return "font/woff2"
	case ".woff":
		return "font/woff"
	case ".ttf":
		return "font/ttf"
	}
	return "application/octet-stream"
}

// errNoFile is the answer to who asks for a file that the page does not have.
func errNoFile() error { return problem.New(protocol.CodeNotFound, "there is nothing at this path") }

// asset answers with a part of the page. Anybody may read it from anywhere: outputs
// are shown in an origin of their own, and load scripts and fonts like strangers.
func (s *Server) asset() endpoint {
	return publicFile(func(c *call) error {
		name := assetsDir + c.r.PathValue("path")
		if !s.app.offers(name) {
			return errNoFile()
		}
		h := c.w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		csp.Set(h, csp.Worker())
		return s.app.send(c, name)
	})
}

// shell answers with the page as it is for everybody, with nothing of a notebook in it.
// The service worker of the page keeps it; without that nobody asks for it.
func (s *Server) shell() endpoint {
	return publicFile(func(c *call) error {
		if !s.app.has(indexFile) {
			return errNoFile()
		}
		csp.Set(c.w.Header(), csp.Page(c.r))
		return s.app.send(c, indexFile)
	})
}

// file answers with a file that lies beside the page, such as its icon.
func (s *Server) file() endpoint {
	return publicFile(func(c *call) error {
		name := c.r.PathValue("file")
		if !s.app.offers(name) || path.Ext(name) == ".html" {
			return errNoFile()
		}
		if name == serviceWorkerFile {
			csp.Set(c.w.Header(), csp.Worker())
		}
		return s.app.send(c, name)
	})
}

// frame answers with the page in which outputs are shown. It knows nobody.
func (s *Server) frame() endpoint {
	return publicFile(func(c *call) error {
		if !s.app.has(frameFile) {
			return errNoFile()
		}
		h := c.w.Header()
		csp.Set(h, csp.Output(c.r))
		h.Set("Connection-Allowlist", csp.OutputConnections(c.r))
		h.Set("X-DNS-Prefetch-Control", "off") // looking up a name is a way to tell it something
		return s.app.send(c, frameFile)
	})
}

func publicFile(serve func(*call) error) endpoint {
	return endpoint{status: http.StatusOK, gives: "*/*", missing: true, serve: serve}
}
