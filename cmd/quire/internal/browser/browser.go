// Package browser opens a link in the browser of the user, without a place on a command line where others can read it.
package browser

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/internal/proc"
)

// Open opens a link in the browser that this machine's owner uses, by a page in the data directory dir. Failed is called when the
// browser fails later.
func Open(dir, link string, failed func(error)) error {
	path := filepath.Join(dir, datadir.OpenFile)
	link = html.EscapeString(link)
	page := `<!doctype html><meta charset="utf-8"><title>Quire</title><meta http-equiv="refresh" content="0;url=` + link +
		`"><a href="` + link + `">Open Quire</a>` + "\n"
	if err := datadir.Write(path, []byte(page)); err != nil {
		return err
	}
	name, args := opener(runtime.GOOS)
	program, err := exec.LookPath(name)
	if err != nil || !filepath.IsAbs(program) {
		return fmt.Errorf("open a browser: there is no %s: %w", name, errors.Join(err, RemovePage(dir)))
	}
	cmd := exec.Command(program, append(args, fileURL(path))...)
	cmd.Dir = filepath.Dir(program) // not the current folder, which may hold anything
	proc.Detach(cmd)                // ctrl-C is for the server
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open a browser: %w", errors.Join(err, RemovePage(dir)))
	}
	// It may be the browser itself, which outlives this process, so no caller waits for it.
	go func() {
		if err := cmd.Wait(); err != nil {
			failed(fmt.Errorf("open a browser: %s: %w", program, err))
		}
	}()
	return nil
}

// opener returns the program of a system that opens a file as a click does.
func opener(system string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	return "xdg-open", nil
}

// fileURL returns the address of a file.
func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // it begins with a drive
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// RemovePage removes the page of Open from the data directory, if it is there.
func RemovePage(dir string) error {
	err := os.Remove(filepath.Join(dir, datadir.OpenFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
