package main

import (
	"log/slog"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// logger returns what writes the log to stderr, and notes what is wrong with how it
// was set.
func (a *app) logger(wrong *settings.Errors) *slog.Logger {
	if a.config.LogLevel == "off" {
		return slog.New(slog.DiscardHandler)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.config.LogLevel)); err != nil {
		wrong.Add("log-level", "%q is none of debug, info, warn, error and off", a.config.LogLevel)
	}
	options := &slog.HandlerOptions{Level: level}
	switch a.config.LogFormat {
	case "json":
		return slog.New(slog.NewJSONHandler(a.stderr, options))
	case "text":
	default:
		wrong.Add("log-format", "%q is neither text nor json", a.config.LogFormat)
	}
	return slog.New(slog.NewTextHandler(a.stderr, options))
}
