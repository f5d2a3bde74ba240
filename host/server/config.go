package server

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/server/rooms"
	"github.com/quirehq/quire/host/server/signin"
)

// Directory knows the notebooks. Its errors wrap those of package directory. A deleted notebook is
// still found, with the time of its deletion.
type Directory interface {
	CreateNotebook(ctx context.Context, n directory.Notebook) error
	Notebook(ctx context.Context, id string) (directory.Notebook, error)
	ListNotebooks(ctx context.Context, q directory.Query) ([]directory.Listing, error)
	DeleteNotebook(ctx context.Context, id string, at event.Time) error
	RestoreNotebook(ctx context.Context, id string) error
}

// Access knows the roles of people in notebooks.
type Access interface {
	// Role returns the role of a person in a notebook. For a person without one it returns an
	// empty role, or the error directory.ErrNotFound.
	Role(ctx context.Context, notebook, person string) (access.Role, error)
}

// Logs has the log of every notebook. If it also has a method Queued() (waiting, capacity int), the
// metrics have the state of its queue of writes.
type Logs interface {
	Log(notebook string) room.Log
}

// Upgrader makes a WebSocket of a permitted request. When it returns an error it has answered the
// request. The connection's Send must fail when the other side reads nothing for some time, and
// Receive of a message over protocol.MaxMessage must fail with a *protocol.Closed that says so.
type Upgrader func(w http.ResponseWriter, r *http.Request) (protocol.Conn, error)

// Config has the dependencies and settings of a server. Listener, Directory, Access, Logs, Secret,
// OwnerToken and Upgrade are required.
type Config struct {
	Listener net.Listener
	// Hosts are names, with or without a port, by which the server may be called besides those of
	// the loopback interface.
	Hosts []string
	// Public is the URL by which browsers call the server, if a proxy or TLS make it differ from
	// that of the listener: a scheme and a host. Links lead there.
	Public *url.URL
	// TrustedProxies are the addresses of proxies whose forwarding headers count.
	TrustedProxies []netip.Prefix

	Directory Directory
	Access    Access
	Logs      Logs
	Upgrade   Upgrader
	Launcher  rooms.Launcher // nil when runtimes are started by hand
	// Assistants launches assistants; nil when they are started by hand.
	Assistants rooms.Launcher
	Artifacts  artifacts.Storage
	// App is the built page: index.html and frame.html, assets with hashes in their names under
	// assets/, and other files beside them. Without an index.html the server says how to build it.
	App fs.FS
	// Sessions stores the sessions of browsers for the next run of the server. Without it all are
	// signed out.
	Sessions signin.SessionStore
	// Page writes a notebook as a page of HTML in which no script of a stranger runs. Without it
	// there is no such format.
	Page func(context.Context, *notebook.Notebook, artifact.Source) ([]byte, error)

	// Audit stores the record of acts; none if nil.
	Audit Audit

	// Secret is 32 bytes of the data directory. Stored sign-ins are good with it only.
	Secret []byte
	// Signer signs tokens and links to artifacts. It differs in each run; the secret if nil.
	Signer []byte
	// Tokens stores the issued tokens for the next run of the server. Former are those of a server
	// that did not store them.
	Tokens signin.TokenStore
	Former signin.Former
	// OwnerToken is the token of the owner's own programs.
	OwnerToken string
	// Identity signs proofs for programs that know the public key of the server; a new key if
	// nil. Address is the host and port that they dial; that of the listener if empty.
	Identity ed25519.PrivateKey
	Address  string

	// HistoryFor is the least role that sees the history of a notebook; viewer if empty.
	HistoryFor access.Role

	Metrics *Metrics     // a new one if nil
	Logger  *slog.Logger // none if nil
	Now     func() time.Time
	Clock   func() event.Time // of rooms, as in [room.Config]
	Version string
	Limits  Limits
}

// Limits bound the requests of clients and the times that the server waits. Zero fields have the
// defaults in the comments.
type Limits struct {
	Requests    float64       // a second and principal; 100
	Burst       int           // of requests at once; 400
	Messages    float64       // a second and socket; 10,000
	Bytes       float64       // a second and socket; 64 MiB
	Joins       float64       // sockets of a principal to a notebook a second; 10
	JoinBurst   int           // of those at once; 400
	Rejoins     float64       // of those, after ones that lasted less than 10 s; 5
	RejoinBurst int           // of those at once; 60
	JSON        int64         // bytes of a JSON body; 1 MiB
	Import      int64         // bytes of a file to import; 64 MiB
	Notebook    int64         // bytes that a notebook may hold; 256 MiB
	History     int64         // bytes of a notebook's log on disk; four times Notebook
	Answers     int64         // bytes of memory for answers made of whole notebooks; 1 GiB
	Outbox      int           // bytes that wait for a slow socket; 256 KiB
	Hello       time.Duration // for the first message of a socket; 10 s
	Idle        time.Duration // for a room to stay open without users; 60 s
	LaunchStart time.Duration // for a launched runtime to connect; 30 s
	Grace       time.Duration // for a runtime to come back; the room's own if 0

	Artifact          int64         // bytes of an artifact; 1 GiB
	NotebookArtifacts int64         // bytes of all artifacts of a notebook; 10 GiB
	Uploads           int           // of a notebook at once; 16
	Link              time.Duration // for a link to an artifact to be good; 10 min
	Keep              time.Duration // for an artifact that no log mentions to stay; 24 h
	Collect           time.Duration // between two collections of those; 6 h
}

func (l *Limits) setDefaults() {
	setDefault(&l.Requests, 100)
	setDefault(&l.Burst, 400)
	setDefault(&l.Messages, 10_000)
	setDefault(&l.Bytes, 64<<20)
	setDefault(&l.Joins, 10)
	setDefault(&l.JoinBurst, 400)
	setDefault(&l.Rejoins, 5)
	setDefault(&l.RejoinBurst, 60)
	setDefault(&l.JSON, 1<<20)
	setDefault(&l.Import, 64<<20)
	setDefault(&l.Notebook, 256<<20)
	setDefault(&l.History, 4*l.Notebook)
	setDefault(&l.Answers, 1<<30)
	setDefault(&l.Outbox, 256<<10)
	setDefault(&l.Hello, 10*time.Second)
	setDefault(&l.Idle, time.Minute)
	setDefault(&l.LaunchStart, 30*time.Second)
	setDefault(&l.Artifact, 1<<30)
	setDefault(&l.NotebookArtifacts, 10<<30)
	setDefault(&l.Uploads, 16)
	setDefault(&l.Link, 10*time.Minute)
	setDefault(&l.Keep, 24*time.Hour)
	setDefault(&l.Collect, 6*time.Hour)
}

func setDefault[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

func (c *Config) setDefaults() error {
	c.Limits.setDefaults()
	setDefault(&c.Version, "dev")
	setDefault(&c.HistoryFor, access.Viewer)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Signer == nil {
		c.Signer = c.Secret
	}
	if c.Identity == nil {
		_, c.Identity, _ = ed25519.GenerateKey(rand.Reader) // the error is always nil
	}
	if c.Listener != nil {
		setDefault(&c.Address, c.Listener.Addr().String())
	}
	if c.Metrics == nil {
		c.Metrics = NewMetrics()
	}
	switch {
	case c.Listener == nil:
		return errors.New("config has no listener")
	case c.Directory == nil || c.Access == nil || c.Logs == nil:
		return errors.New("config has no directory, access or logs")
	case c.Upgrade == nil:
		return errors.New("config has no upgrade")
	}
	return nil
}

// artifactsConfig returns the configuration of the artifacts.
func (c *Config) artifactsConfig() artifacts.Config {
	return artifacts.Config{
		Storage: c.Artifacts, Logger: c.Logger, Now: c.stamp,
		Limits: artifacts.Limits{
			Artifact: c.Limits.Artifact, Notebook: c.Limits.NotebookArtifacts, Uploads: c.Limits.Uploads, Keep: c.Limits.Keep, Collect: c.Limits.Collect,
		},
		Metrics: artifacts.Metrics{Received: c.Metrics.received, Sent: c.Metrics.sent, Collected: c.Metrics.collected},
	}
}

// stamp returns the time in the form of events.
func (c *Config) stamp() event.Time { return event.Time(c.Now().UnixMilli()) }
