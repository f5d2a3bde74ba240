// Package webapp serves the files of the application's page, and the first paint of a notebook in it.
//
// It promises that a file has the policy of its kind, that a browser caches no file longer than it
// may, and that a first paint has no markup of a notebook's text. Who may see a notebook is left
// to the caller.
package webapp

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

// Files with a meaning, and the folder of those that browsers keep.
const (
	indexFile = "index.html"
	frameFile = "frame.html"
	// serviceWorkerFile lies at the root, because its scope is the whole page.
	serviceWorkerFile = "sw.js"

	assetsDir = "assets/"
)

// App has the files of the page. They are read from their file system for each request.
type App struct {
	fs   fs.FS
	tags map[string]string // by name; empty for assets, whose names change with their content

	before, behind []byte // the index before and behind the place of a first paint
}

// New returns the page of a file system, which is nil if the program was built without one.
func New(fsys fs.FS) (*App, error) {
	a := &App{fs: fsys, tags: map[string]string{}}
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
		return nil, fmt.Errorf("read the files of the page: %w", err)
	}
	if a.Built() {
		a.before, a.behind, err = splitIndex(fsys)
	}
	return a, err
}

// Built reports whether the program has the page.
func (a *App) Built() bool { return a.has(indexFile) }

func (a *App) has(name string) bool {
	_, ok := a.tags[name]
	return ok
}

// SendAsset answers with a file whose name changes with its content. Pages of all origins may
// read it: outputs are shown in an opaque origin, from which they load scripts and fonts.
func (a *App) SendAsset(w http.ResponseWriter, r *http.Request, name string) error {
	name = assetsDir + name
	if !a.offers(name) {
		return errNoFile()
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	csp.Set(h, csp.Worker())
	return a.send(w, r, name)
}

// SendIndex answers with the page that is the same for all users, without a notebook in it.
func (a *App) SendIndex(w http.ResponseWriter, r *http.Request) error {
	if !a.Built() {
		return errNoFile()
	}
	csp.Set(w.Header(), csp.Page(r))
	return a.send(w, r, indexFile)
}

// SendFrame answers with the page in which outputs are shown. It is the same for all users.
func (a *App) SendFrame(w http.ResponseWriter, r *http.Request) error {
	if !a.has(frameFile) {
		return errNoFile()
	}
	h := w.Header()
	csp.Set(h, csp.Output(r))
	h.Set("Connection-Allowlist", csp.OutputConnections(r))
	h.Set("X-DNS-Prefetch-Control", "off") // a looked-up name can carry data to its name server
	return a.send(w, r, frameFile)
}

// SendFile answers with another file of the page, such as its icon or its service worker.
func (a *App) SendFile(w http.ResponseWriter, r *http.Request, name string) error {
	if !a.offers(name) || path.Ext(name) == ".html" {
		return errNoFile()
	}
	if name == serviceWorkerFile {
		csp.Set(w.Header(), csp.Worker())
	}
	return a.send(w, r, name)
}

func errNoFile() error { return problem.New(protocol.CodeNotFound, "there is nothing at this path") }

// offers reports whether a file is served under its name. A compressed form of another file is not.
func (a *App) offers(name string) bool {
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

// send answers with a file, in a compressed form if there is one that the client accepts.
func (a *App) send(w http.ResponseWriter, r *http.Request, name string) error {
	h := w.Header()
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
		if sent == name && accepts(r.Header.Get("Accept-Encoding"), k.name) {
			sent = name + k.ending
			h.Set("Content-Encoding", k.name)
		}
	}
	if tag := a.tags[sent]; tag != "" {
		h.Set("ETag", `"`+tag+`"`)
	}
	return a.sendAs(w, r, name, sent)
}

// sendAs answers with the content of one file under the name of another.
func (a *App) sendAs(w http.ResponseWriter, r *http.Request, name, sent string) error {
	f, err := a.fs.Open(sent)
	if err != nil {
		return err
	}
	defer f.Close()
	content, ok := f.(io.ReadSeeker)
	if !ok {
		return fmt.Errorf("file %s is not seekable", sent)
	}
	if info, err := f.Stat(); err == nil {
		w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	http.ServeContent(w, r, name, time.Time{}, content)
	return nil
}

// accepts reports whether an Accept-Encoding header accepts a coding.
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

// typeOf returns the type of a file. The table of the machine is not used: it must not decide
// whether the page works.
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
