package settings

import (
	"time"

	"github.com/quirehq/quire/host/server"
)

// Numbers are the settings with a unit; 0 for one that is not set.
type Numbers struct {
	Bounds
	Idle, Grace time.Duration
	EngineIdle  time.Duration
	MaxRuntimes int

	Notebook, History, Data     int64 // bytes
	Artifact, NotebookArtifacts int64 // bytes
}

// Bounds are the limits of the programs of a runtime; 0 for no limit.
type Bounds struct {
	Memory, Disk, FileSize int64 // bytes
	CPU, RunTime           time.Duration
	Files, Processes       int

	Output, NotebookOutput int64 // bytes
}

// Numbers parses the settings of a command that have a unit. It notes each that is wrong, and each switch of the command that is
// neither on nor off.
func (c *Config) Numbers(command string, wrong *Errors) Numbers {
	var n Numbers
	for _, s := range of(command) {
		for _, name := range c.unclear {
			if name == s.Name {
				wrong.Add(s.Name, "want 1 or 0")
			}
		}
		if s.apply != nil {
			s.parse(c, &n, wrong)
		}
	}
	return n
}

// parse sets the number of a setting. One without a default may be empty.
func (s *Setting) parse(c *Config, n *Numbers, wrong *Errors) {
	text := *s.field(c).(*string)
	if text == "" && s.Default == "" {
		return
	}
	v, err := s.number(text)
	if err != nil {
		wrong.Add(s.Name, "%v", err)
	}
	s.apply(n, v)
}

// BoundsOf returns limits as numbers, without those that are none.
func BoundsOf(l server.LimitValues) Bounds {
	var n Numbers
	c := Config{Limits: l}
	for _, s := range in(Limits) {
		s.parse(&c, &n, new(Errors))
	}
	return n.Bounds
}
