package settings

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quirehq/quire/host/server"
)

// Config is the configuration of a process, each setting as its text was given. A flag counts more than the environment, that
// more than the configuration file, and that more than a default. Nothing else reads the environment, except for the programs
// that inherit it.
type Config struct {
	Server   string // URL of the server to talk to
	Token    string // to show it
	Data     string // data directory, where a server is looked for
	Notebook string // that a runtime serves
	Python   string // interpreter that runtimes use
	Kernel   string // that runtimes use where a notebook asks for none
	// Engines are paths of engines of the user, and of folders of them.
	Engines []string
	// EngineFolder is what sandboxed engines may do with the folder in which programs start.
	EngineFolder string
	Addr         string // that serve listens on
	Colour       string // when to write colours

	Editor   string // command line that edit starts
	Term     string // kind of terminal
	NoColour bool   // asked for by NO_COLOR

	Idle          string // time without use after which a runtime ends
	EngineIdle    string // time without use after which an engine is unloaded
	Grace         string // time that a stopped runtime may take to end
	MaxRuntimes   string // of a server; empty for any number
	RequireLimits bool   // limits must hold for all programs of a runtime together
	TrustImports  bool   // imported notebooks need no sandbox
	HistoryFor    string // the least role that sees earlier states of a notebook
	Limits        server.LimitValues
	Sandbox       SandboxConfig
	Artifacts     ArtifactConfig
	Sizes         SizeConfig
	Network       NetworkConfig

	LogLevel  string
	LogFormat string

	unclear []string          // switches whose variable is neither yes nor no
	places  map[string]string // of the values that a variable or the file has set, by setting
	flags   []*pflag.FlagSet  // of all commands
}

// The values of Config.EngineFolder, which may be empty.
const (
	FolderRead  = "read"
	FolderWrite = "write"
)

// SandboxConfig is the sandbox of the programs of runtimes.
type SandboxConfig struct {
	On, Network bool
	AsRoot      bool     // also where this process is root
	Read        []string // folders that programs may read
	Env         []string // variables that programs get

	// Found reports that Python and the folders are those that the server has found. The folder in which its runtimes start
	// has files that programs of notebooks wrote.
	Found bool
	// Untrusted reports that the sandbox is for want of trust in the notebook.
	Untrusted bool
}

// ArtifactConfig is the store of artifacts, and how large they may be.
type ArtifactConfig struct {
	Place    string // a folder, or a place in a store
	Size     string // of one
	Notebook string // of all of a notebook
	Region   string // of a place that does not name it
	Keys     StoreKeys
}

// StoreKeys are the credentials of a store that speaks the protocol of Amazon S3, from the variables that all its programs read.
type StoreKeys struct{ Access, Secret, Session string }

// SizeConfig bounds the database.
type SizeConfig struct {
	Notebook string
	History  string // empty for four times as much
	Data     string // empty for no limit
}

// NetworkConfig is the way from browsers to a server.
type NetworkConfig struct {
	Public        string   // the URL by which browsers call it
	Hosts         []string // further names
	Proxies       []string // addresses of trusted proxies
	ProxyProtocol bool
	Cert, Key     string // files
	Exposed       bool   // other machines may reach the address
}

// DefaultEditor is the editor of users who have set none. It needs a terminal.
const DefaultEditor = "vi"

// Read returns the configuration that the environment and a file make, with defaults for the rest.
func Read(getenv func(string) string, home func() (string, error), file File) Config {
	c := Config{
		places:   map[string]string{},
		Editor:   cmp.Or(getenv("VISUAL"), getenv("EDITOR"), DefaultEditor),
		Term:     getenv("TERM"),
		NoColour: getenv("NO_COLOR") != "",
	}
	for i := range table {
		table[i].read(&c, getenv, file)
	}
	c.Data = cmp.Or(c.Data, defaultData(getenv("XDG_DATA_HOME"), home))
	c.Artifacts.Region = cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"))
	c.Artifacts.Keys = StoreKeys{Access: getenv("AWS_ACCESS_KEY_ID"), Secret: getenv("AWS_SECRET_ACCESS_KEY"), Session: getenv("AWS_SESSION_TOKEN")}
	return c
}

// read sets a field to the value of its variable, or else to that of the file, or else to the default.
func (s *Setting) read(c *Config, getenv func(string) string, file File) {
	if s.Variable == "" {
		return
	}
	text := getenv(s.Variable)
	if v := file.set[s.Variable]; text != "" {
		c.places[s.Name] = s.Variable
	} else if v.text != "" {
		text, c.places[s.Name] = v.text, file.place(v)
	}
	text = cmp.Or(text, s.Default)
	switch field := s.field(c).(type) {
	case *string:
		*field = text
	case *bool:
		yes, err := strconv.ParseBool(text)
		unclear := err != nil && text != ""
		*field = yes || unclear && s.Lenient
		if unclear && !s.Lenient {
			c.unclear = append(c.unclear, s.Name)
		}
	case *[]string:
		*field = s.split(text)
	}
}

// Place returns the place for a user to look at a setting: the flag, the variable, or the line of the file that has set it. Of one
// that is not set it is where to set it, the flag or the variable.
func (c *Config) Place(name string) string {
	for _, flags := range c.flags {
		if f := flags.Lookup(name); f != nil && f.Changed {
			return "--" + name
		}
	}
	s := Named(name)
	if s == nil || s.Variable == "" {
		return "--" + name
	}
	return cmp.Or(c.places[name], "--"+name+" or "+s.Variable)
}

// split returns the elements of a list.
func (s *Setting) split(text string) []string {
	switch {
	case text == "":
		return nil
	case s.Words:
		return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	}
	return filepath.SplitList(text)
}

// defaultData follows the XDG base directories: a relative one does not count.
func defaultData(xdg string, home func() (string, error)) string {
	if filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "quire")
	}
	dir, err := home()
	if err != nil {
		return "" // the commands that need one report it
	}
	return filepath.Join(dir, ".local", "share", "quire")
}

// Args returns the flags that make the settings of a group in another process.
func (c *Config) Args(group Group) []string {
	var args []string
	for _, s := range in(group) {
		switch field := s.field(c).(type) {
		case *string:
			if *field != "" {
				args = append(args, "--"+s.Name, *field)
			}
		case *bool:
			if *field {
				args = append(args, "--"+s.Name)
			}
		case *[]string:
			for _, element := range *field {
				args = append(args, "--"+s.Name, element)
			}
		}
	}
	return args
}
