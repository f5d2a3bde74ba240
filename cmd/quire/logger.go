package main

import (
	"log/slog"

	"github.com/spf13/pflag"
)

// addLogFlags adds the flags of commands that log.
func (c *config) addLogFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.LogLevel, "log-level", c.LogLevel, "what to log to stderr (QUIRE_LOG): debug, info, warn, error or off")
	flags.Lookup("log-level").DefValue = "info"
	placeholder(flags, "log-level", "LEVEL")
	flags.StringVar(&c.LogFormat, "log-format", c.LogFormat, "text or json (QUIRE_LOG_FORMAT)")
	flags.Lookup("log-format").DefValue = "text"
	placeholder(flags, "log-format", "FORMAT")
}

// logger returns what writes the log to stderr, and notes what is wrong with how it
// was set.
func (a *app) logger(wrong *configErrors) *slog.Logger {
	if a.config.LogLevel == "off" {
		return slog.New(slog.DiscardHandler)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.config.LogLevel)); err != nil {
		wrong.add("log-level", "QUIRE_LOG", "%q is none of debug, info, warn, error and off", a.config.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch a.config.LogFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	case "text":
	default:
		wrong.add("log-format", "QUIRE_LOG_FORMAT", "%q is neither text nor json", a.config.LogFormat)
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}
