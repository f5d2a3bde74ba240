package terminal

import "github.com/quirehq/quire/core/event"

// causeWords are the words for causes whose reason in the log has no more facts. They are shorter than that or the same.
var causeWords = map[event.Cause]string{
	event.CauseEarlierFailed: "an earlier cell failed or was stopped",
	event.CauseEarlierExited: "the program ended at an earlier cell",
	event.CauseDisplaced:     "another runtime took its place",
	event.CauseShutdown:      "the runtime was shut down",
	event.CauseRestart:       "the runtime was restarted",
	event.CauseIdle:          "the runtime was stopped because it was idle",
	event.CauseLease:         "the runtime's connection was gone for too long",
}

// causeNames are the words for causes whose reason has facts of its own, for an end without one.
var causeNames = map[event.Cause]string{
	event.CauseNotStarted:  "the engine could not be started",
	event.CauseKilled:      "the program did not stop when it was asked to, so it was killed; its variables are lost",
	event.CauseTimedOut:    "it took longer than it may",
	event.CauseOutputLimit: "its output exceeded a limit",
	event.CauseNotStored:   "an output could not be stored",
	event.CauseEngineDied:  "the engine died",
	event.CauseExited:      "the program ended itself",
	event.CauseExitedGone:  "the program ended itself, and its variables are lost",
	event.CauseFailed:      "the runtime failed, or could not be started",
	event.CauseDied:        "the runtime's process has ended",
}

// whyEnded says for people why a run or a runtime ended, nothing if its status says it all. An end without a cause that
// this build knows is one of an older or a newer author, whose reason stands as it was written.
func whyEnded(cause event.Cause, reason string) string {
	if words, ok := causeWords[cause]; ok {
		return words
	}
	if reason == "" {
		return causeNames[cause]
	}
	return reason
}
