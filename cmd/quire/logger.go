package main

import (
	"log/slog"

	"github.com/spf13/pflag"
)

// addLogFlags adds the flags of commands that log.
func (c *config) addLogFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.LogLevel, "log-level", c.LogLevel, "what to log to stderr: debug, info, warn or error")
	placeholder(flags, "log-level", "LEVEL")
	flags.StringVar(&c.LogFormat, "log-format", c.LogFormat, "text or json")
	placeholder(flags, "log-format", "FORMAT")
}

// logger returns what writes the log to stderr.
func (a *app) logger() (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.config.LogLevel)); err != nil {
		return nil, fail(exitUsage, "--log-level %q is none of debug, info, warn and error", a.config.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch a.config.LogFormat {
	case "text":
		return slog.New(slog.NewTextHandler(a.stderr, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.stderr, options)), nil
	}
	return nil, fail(exitUsage, "--log-format %q is neither text nor json", a.config.LogFormat)
}
