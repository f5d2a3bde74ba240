package datadir

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// connectionsFile is the name of the file with the URLs of databases, which have passwords.
const connectionsFile = "connections.json"

// Connections are the databases that SQL cells reach by a name. No error of its methods has a URL.
type Connections struct {
	Dir string // the data directory
}

// Connection is a database without its secrets.
type Connection struct {
	Name  string `json:"name"`
	Place string `json:"place"` // scheme, user, host and database
}

// List returns the connections, sorted by name.
func (c Connections) List() ([]Connection, error) {
	urls, err := c.read()
	if err != nil {
		return nil, err
	}
	list := []Connection{}
	for _, name := range slices.Sorted(maps.Keys(urls)) {
		list = append(list, Connection{name, place(urls[name])})
	}
	return list, nil
}

// URL returns the URL of a connection. A file that others can read or change is refused.
func (c Connections) URL(name string) (string, error) {
	urls, err := c.read()
	if err != nil {
		return "", err
	}
	found, ok := urls[name]
	if !ok {
		return "", fmt.Errorf("there is no connection %q: there is %s; `quire connection add` makes one", name,
			strings.Join(append([]string{"memory"}, slices.Sorted(maps.Keys(urls))...), ", "))
	}
	return found, nil
}

// Set stores a connection, in place of an earlier one of its name.
func (c Connections) Set(name, address string) error {
	if err := checkConnection(name, address); err != nil {
		return err
	}
	return c.change(func(urls map[string]string) error {
		urls[name] = address
		return nil
	})
}

// Remove removes a connection.
func (c Connections) Remove(name string) error {
	return c.change(func(urls map[string]string) error {
		if _, ok := urls[name]; !ok {
			return fmt.Errorf("there is no connection %q", name)
		}
		delete(urls, name)
		return nil
	})
}

func (c Connections) change(do func(map[string]string) error) error { return c.file().change(do) }

func (c Connections) read() (map[string]string, error) { return c.file().read() }

func (c Connections) file() secretMap[string] {
	return secretMap[string]{c.Dir, connectionsFile, "connections"}
}

// checkConnection checks the name and the URL of a new connection.
func checkConnection(name, address string) error {
	if !isName(name) || name == "memory" || name == "duckdb" {
		return fmt.Errorf("%q is no name for a connection: want at most 64 small letters, digits, _ and -, and not memory or duckdb", name)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" && u.Scheme != "sqlite" && u.Scheme != "duckdb" {
		return errors.New("the URL cannot be read: want one such as postgres://user:password@host:5432/database or sqlite:/path/of/a/file.db or duckdb:/path/of/a/file.duckdb; signs in a password are written as %21")
	}
	return nil
}

// place returns a URL without its password and its options.
func place(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "damaged"
	}
	shown := url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path, OmitHost: u.OmitHost}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	return shown.String()
}
