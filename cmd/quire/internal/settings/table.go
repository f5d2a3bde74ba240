package settings

import (
	"time"

	"github.com/quirehq/quire/host/server"
)

// IdleOfServer is the time without use after which a runtime ends that a server has started.
const IdleOfServer = "24h"

// Settings that only a server makes, for the runtimes that it starts.
const (
	SandboxFound     = "sandbox-found"
	SandboxUntrusted = "sandbox-untrusted"
)

// table has all settings, those of a group side by side.
var table = [...]Setting{
	{
		Group: Common, Name: "server", Variable: "QUIRE_SERVER", Key: "server", Unit: "URL", Commands: "quire",
		Without: "the one that serves the data directory",
		Help:    "the server to use",
		text:    func(c *Config) any { return &c.Server },
	},
	{
		Group: Common, Name: "token", Variable: "QUIRE_TOKEN", Key: "token", Unit: "TOKEN", Commands: "quire",
		Help: "the token to show the server",
		text: func(c *Config) any { return &c.Token },
	},
	{
		Group: Common, Name: "data", Variable: "QUIRE_DATA", Key: "data", Unit: "DIR", Commands: "quire",
		Without: "~/.local/share/quire",
		Help:    "the data directory",
		text:    func(c *Config) any { return &c.Data },
	},
	{
		// The command line makes its flag, which also counts for errors in later flags.
		Group: Common, Name: "color", Variable: "QUIRE_COLOR", Key: "color", Unit: "WHEN",
		Default: "auto", Without: "to terminals, unless NO_COLOR is set",
		Help: "when to write colours: auto, always or never",
		text: func(c *Config) any { return &c.Colour },
	},

	{
		Group: Runtimes, Name: "python", Variable: "QUIRE_PYTHON", Key: "python", Unit: "PATH", Commands: "serve runtime run eval doctor engines",
		Without: "that of VIRTUAL_ENV, else python3",
		Help:    "the Python to use",
		In: map[string]Variant{
			"serve": {Help: "the Python of runtimes"}, "doctor": {Help: "the Python to check"},
			"engines": {Help: "the Python in whose environment to look, too"},
		},
		text: func(c *Config) any { return &c.Python },
	},
	{
		Group: Runtimes, Name: "kernel", Variable: "QUIRE_KERNEL", Key: "kernel", Unit: "NAME", Commands: "serve runtime",
		Help: "the kernel that executes its language where a notebook names none, such as ir",
		text: func(c *Config) any { return &c.Kernel },
	},
	{
		Group: Runtimes, Name: "engine", Variable: "QUIRE_ENGINES", Key: "engines", Unit: "PATH", Commands: "serve runtime run engines",
		Help: "an engine of your own, by the engine protocol: a program, a folder with engine.json, or a folder of such folders; may be given again",
		text: func(c *Config) any { return &c.Engines },
	},
	{
		Group: Runtimes, Name: "engine-folder", Variable: "QUIRE_ENGINE_FOLDER", Key: "engineFolder", Unit: "ACCESS", Commands: "serve runtime run eval", Without: None,
		Help: "let sandboxed engines use the folder in which programs start: read or write",
		text: func(c *Config) any { return &c.EngineFolder },
	},
	{
		Group: Runtimes, Name: "notebook", Variable: "QUIRE_NOTEBOOK", Key: "notebook", Unit: "NOTEBOOK", Commands: "runtime",
		Help: "the notebook whose runs to execute",
		text: func(c *Config) any { return &c.Notebook },
	},
	{
		Group: Runtimes, Name: "idle", Variable: "QUIRE_IDLE", Key: "idle", Unit: Duration, Commands: "serve runtime",
		Without: IdleOfServer,
		Help:    "end a runtime that was not used for so long",
		In:      map[string]Variant{"runtime": {Help: "end when it was not used for so long, such as 2h", Without: "never"}},
		text:    func(c *Config) any { return &c.Idle }, apply: func(n *Numbers, v int64) { n.Idle = time.Duration(v) },
	},
	{
		Group: Runtimes, Name: "engine-idle", Variable: "QUIRE_ENGINE_IDLE", Key: "engineIdle", Unit: Duration, Commands: "serve runtime",
		Without: "never", Least: "1s",
		Help: "unload an engine that was not used for so long, with its variables, unless it is that of the notebook's own language",
		text: func(c *Config) any { return &c.EngineIdle }, apply: func(n *Numbers, v int64) { n.EngineIdle = time.Duration(v) },
	},
	{
		Group: Runtimes, Name: "grace", Variable: "QUIRE_GRACE", Key: "grace", Unit: Duration, Commands: "serve",
		Default: "8s",
		Help:    "kill a runtime that was stopped and takes longer to end",
		text:    func(c *Config) any { return &c.Grace }, apply: func(n *Numbers, v int64) { n.Grace = time.Duration(v) },
	},
	{
		Group: Runtimes, Name: "max-runtimes", Variable: "QUIRE_MAX_RUNTIMES", Key: "maxRuntimes", Unit: Count, Commands: "serve",
		Without: "any number",
		Help:    "how many runtimes there may be at once",
		text:    func(c *Config) any { return &c.MaxRuntimes }, apply: func(n *Numbers, v int64) { n.MaxRuntimes = int(v) },
	},
	{
		Group: Runtimes, Name: "require-limits", Variable: "QUIRE_REQUIRE_LIMITS", Key: "requireLimits", Commands: "serve", Lenient: true,
		Help: "do not start where --memory and --processes cannot hold for all programs of a runtime together",
		text: func(c *Config) any { return &c.RequireLimits },
	},

	{
		Group: Limits, Name: "memory", Variable: "QUIRE_MEMORY", Key: "memory", Unit: Size, Commands: "serve runtime eval", Without: None, Least: "32M",
		Noun: "memory", Help: "limit the memory of a runtime's programs, such as 2G",
		limit: func(l *server.LimitValues) *string { return &l.Memory }, apply: func(n *Numbers, v int64) { n.Memory = v },
	},
	{
		Group: Limits, Name: "cpu", Variable: "QUIRE_CPU", Key: "cpu", Unit: Duration, Commands: "serve runtime eval", Without: None, Least: "1s",
		Noun: "processor time", Help: "limit the processor time of one engine, such as 4h",
		limit: func(l *server.LimitValues) *string { return &l.CPU }, apply: func(n *Numbers, v int64) { n.CPU = time.Duration(v) },
	},
	{
		Group: Limits, Name: "run-time", Variable: "QUIRE_RUN_TIME", Key: "runTime", Unit: Duration, Commands: "serve runtime", Without: None, Least: "100ms",
		Noun: "a run's time", Help: "limit the time that one run takes, such as 30m",
		limit: func(l *server.LimitValues) *string { return &l.RunTime }, apply: func(n *Numbers, v int64) { n.RunTime = time.Duration(v) },
	},
	{
		Group: Limits, Name: "disk", Variable: "QUIRE_DISK", Key: "disk", Unit: Size, Commands: "serve runtime", Without: None, Least: "64K",
		Noun: "the notebook's files", Help: "limit the size of all files in the folder of a notebook, such as 10G, which has one file for each 16K at most, or 10000",
		limit: func(l *server.LimitValues) *string { return &l.Disk }, apply: func(n *Numbers, v int64) { n.Disk = v },
	},
	{
		Group: Limits, Name: "file-size", Variable: "QUIRE_FILE_SIZE", Key: "fileSize", Unit: Size, Commands: "serve runtime eval", Without: None, Least: "4K",
		Noun: "a file's size", Help: "limit the size of a file that is written, such as 2G",
		limit: func(l *server.LimitValues) *string { return &l.FileSize }, apply: func(n *Numbers, v int64) { n.FileSize = v },
	},
	{
		Group: Limits, Name: "files", Variable: "QUIRE_FILES", Key: "files", Unit: Count, Commands: "serve runtime eval", Without: None, Least: "20",
		Noun: "open files", Help: "limit the files that are open at once in a program",
		limit: func(l *server.LimitValues) *string { return &l.Files }, apply: func(n *Numbers, v int64) { n.Files = int(v) },
	},
	{
		Group: Limits, Name: "processes", Variable: "QUIRE_PROCESSES", Key: "processes", Unit: Count, Commands: "serve runtime eval", Without: None, Least: "8",
		Noun: "processes", Help: "limit the processes and threads of a runtime's programs",
		limit: func(l *server.LimitValues) *string { return &l.Processes }, apply: func(n *Numbers, v int64) { n.Processes = int(v) },
	},
	{
		Group: Limits, Name: "output", Variable: "QUIRE_OUTPUT", Key: "output", Unit: Size, Commands: "serve runtime", Default: "1G", Least: "4K",
		Help:  "limit the output of one run, which ends it",
		limit: func(l *server.LimitValues) *string { return &l.Output }, apply: func(n *Numbers, v int64) { n.Output = v },
	},
	{
		Group: Limits, Name: "notebook-output", Variable: "QUIRE_NOTEBOOK_OUTPUT", Key: "notebookOutput", Unit: Size, Commands: "serve runtime", Default: "128M", Least: "64K",
		Help:  "limit the outputs that a notebook holds itself, without artifacts",
		limit: func(l *server.LimitValues) *string { return &l.NotebookOutput }, apply: func(n *Numbers, v int64) { n.NotebookOutput = v },
	},

	{
		Group: Sandbox, Name: "sandbox", Variable: "QUIRE_SANDBOX", Key: "sandbox", Commands: "serve runtime run eval",
		Help: "run the programs of notebooks in a sandbox: they see the system and the files of their notebook, and no network",
		text: func(c *Config) any { return &c.Sandbox.On },
	},
	{
		Group: Sandbox, Name: "sandbox-network", Variable: "QUIRE_SANDBOX_NETWORK", Key: "sandboxNetwork", Commands: "serve runtime run eval",
		Help: "let programs in the sandbox use the network, that of this machine included",
		text: func(c *Config) any { return &c.Sandbox.Network },
	},
	{
		Group: Sandbox, Name: "sandbox-as-root", Variable: "QUIRE_SANDBOX_AS_ROOT", Key: "sandboxAsRoot", Commands: "serve runtime run eval",
		Help: "start programs in the sandbox also as root, from whom it does not hide the files in /proc and /sys",
		text: func(c *Config) any { return &c.Sandbox.AsRoot },
	},
	{
		Group: Sandbox, Name: "sandbox-read", Variable: "QUIRE_SANDBOX_READ", Key: "sandboxRead", Unit: "DIR", Commands: "serve runtime run eval",
		Help: "let programs in the sandbox read a folder; may be given again",
		text: func(c *Config) any { return &c.Sandbox.Read },
	},
	{
		Group: Sandbox, Name: "sandbox-env", Variable: "QUIRE_SANDBOX_ENV", Key: "sandboxEnv", Unit: "NAME", Commands: "serve runtime run eval",
		Help: "let programs in the sandbox have a variable; may be given again",
		text: func(c *Config) any { return &c.Sandbox.Env },
	},
	{
		Group: Sandbox, Name: SandboxFound, Commands: "runtime",
		Help: "do not look for Python and for folders of kernels: the server has",
		text: func(c *Config) any { return &c.Sandbox.Found },
	},
	{
		Group: Sandbox, Name: SandboxUntrusted, Commands: "runtime",
		Help: "the sandbox is for want of trust in the notebook",
		text: func(c *Config) any { return &c.Sandbox.Untrusted },
	},
	{
		Group: Sandbox, Name: "trust-imports", Variable: "QUIRE_TRUST_IMPORTS", Key: "trustImports", Commands: "serve", Lenient: true,
		Help: "run the programs of imported notebooks without a sandbox, too",
		text: func(c *Config) any { return &c.TrustImports },
	},

	{
		Group: Network, Name: "addr", Variable: "QUIRE_ADDR", Key: "addr", Unit: "HOST:PORT", Commands: "serve doctor",
		Default: "127.0.0.1:8642",
		Help:    "where to listen, port 0 for any",
		In:      map[string]Variant{"doctor": {Help: "where a server is to listen"}},
		text:    func(c *Config) any { return &c.Addr },
	},
	{
		Group: Network, Name: "expose-to-network", Variable: "QUIRE_EXPOSE_TO_NETWORK", Key: "exposeToNetwork", Commands: "serve doctor",
		Help: "allow an --addr that other machines can reach, without encryption unless there is --tls-cert",
		text: func(c *Config) any { return &c.Network.Exposed },
	},
	{
		Group: Network, Name: "host", Variable: "QUIRE_HOSTS", Key: "hosts", Unit: "NAME", Commands: "serve", Words: true,
		Help: "a name by which browsers may call the server; may be given again",
		text: func(c *Config) any { return &c.Network.Hosts },
	},
	{
		Group: Network, Name: "public-url", Variable: "QUIRE_PUBLIC_URL", Key: "publicURL", Unit: "URL", Commands: "serve",
		Help: "how browsers call the server, such as https://quire.example.org behind a proxy",
		text: func(c *Config) any { return &c.Network.Public },
	},
	{
		Group: Network, Name: "trusted-proxy", Variable: "QUIRE_TRUSTED_PROXIES", Key: "trustedProxies", Unit: "CIDR", Commands: "serve", Words: true,
		Help: "the address of a proxy that is trusted to report the addresses of clients; may be given again",
		text: func(c *Config) any { return &c.Network.Proxies },
	},
	{
		Group: Network, Name: "proxy-protocol", Variable: "QUIRE_PROXY_PROTOCOL", Key: "proxyProtocol", Commands: "serve",
		Help: "take headers of the PROXY protocol, version 1 or 2, from trusted proxies",
		text: func(c *Config) any { return &c.Network.ProxyProtocol },
	},
	{
		Group: Network, Name: "tls-cert", Variable: "QUIRE_TLS_CERT", Key: "tlsCert", Unit: "FILE", Commands: "serve",
		Help: "speak TLS with a certificate in PEM, which is read again when it changes",
		text: func(c *Config) any { return &c.Network.Cert },
	},
	{
		Group: Network, Name: "tls-key", Variable: "QUIRE_TLS_KEY", Key: "tlsKey", Unit: "FILE", Commands: "serve",
		Help: "the key of the certificate",
		text: func(c *Config) any { return &c.Network.Key },
	},

	{
		Group: Storage, Name: "artifacts", Variable: "QUIRE_ARTIFACTS", Key: "artifacts", Unit: "PLACE", Commands: "serve",
		Without: "artifacts in the data directory",
		Help:    "where large outputs and files are kept: a folder, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME",
		text:    func(c *Config) any { return &c.Artifacts.Place },
	},
	{
		Group: Storage, Name: "artifact-size", Variable: "QUIRE_ARTIFACT_SIZE", Key: "artifactSize", Unit: Size, Commands: "serve", Least: "1M",
		Default: "1G",
		Help:    "how large one artifact may be",
		text:    func(c *Config) any { return &c.Artifacts.Size }, apply: func(n *Numbers, v int64) { n.Artifact = v },
	},
	{
		Group: Storage, Name: "notebook-artifacts", Variable: "QUIRE_NOTEBOOK_ARTIFACTS", Key: "notebookArtifacts", Unit: Size, Commands: "serve", Least: "1M",
		Default: "10G",
		Help:    "how large all artifacts of a notebook may be together",
		text:    func(c *Config) any { return &c.Artifacts.Notebook }, apply: func(n *Numbers, v int64) { n.NotebookArtifacts = v },
	},
	{
		Group: Storage, Name: "notebook-size", Variable: "QUIRE_NOTEBOOK_SIZE", Key: "notebookSize", Unit: Size, Commands: "serve", Least: "64K",
		Default: "256M",
		Help:    "how much a notebook may hold without artifacts",
		text:    func(c *Config) any { return &c.Sizes.Notebook }, apply: func(n *Numbers, v int64) { n.Notebook = v },
	},
	{
		Group: Storage, Name: "history-size", Variable: "QUIRE_HISTORY_SIZE", Key: "historySize", Unit: Size, Commands: "serve", Least: "64K",
		Without: "four times --notebook-size",
		Help:    "how much the log of a notebook may take on disk",
		text:    func(c *Config) any { return &c.Sizes.History }, apply: func(n *Numbers, v int64) { n.History = v },
	},
	{
		Group: Storage, Name: "data-size", Variable: "QUIRE_DATA_SIZE", Key: "dataSize", Unit: Size, Commands: "serve", Least: "1M",
		Without: "as the disk has space",
		Help:    "how large the database of all notebooks may become",
		text:    func(c *Config) any { return &c.Sizes.Data }, apply: func(n *Numbers, v int64) { n.Data = v },
	},
	{
		Group: Storage, Name: "history-for", Variable: "QUIRE_HISTORY_FOR", Key: "historyFor", Unit: "ROLE", Commands: "serve",
		Default: "viewer",
		Help:    "the least role that sees the earlier states of a notebook: viewer, runner, editor or owner",
		text:    func(c *Config) any { return &c.HistoryFor },
	},

	{
		Group: Logging, Name: "log-level", Variable: "QUIRE_LOG", Key: "logLevel", FormerKey: "log", Unit: "LEVEL", Commands: "serve runtime",
		Default: "info",
		Help:    "how much to log to stderr: debug, info, warn, error or off",
		text:    func(c *Config) any { return &c.LogLevel },
	},
	{
		Group: Logging, Name: "log-format", Variable: "QUIRE_LOG_FORMAT", Key: "logFormat", Unit: "FORMAT", Commands: "serve runtime",
		Default: "text",
		Help:    "the form of the log: text or json",
		text:    func(c *Config) any { return &c.LogFormat },
	},
}
