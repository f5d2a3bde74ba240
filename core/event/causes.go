package event

// Cause says for programs why a run or a runtime ended, where the status does not. Beside it stands a reason, a sentence
// for people, which no program recognises. Events of older authors have none; one that a build does not know, as of a
// newer author, is kept as it is.
type Cause string

// The causes: first those of runs that their runtimes give, then those of runs that end because of another event, then
// those of runtimes that stop, and of the runs that are lost with them.
const (
	CauseNotStarted  Cause = "not-started"  // the engine could not be started, and no code was executed
	CauseKilled      Cause = "killed"       // the program did not stop when it was asked to, or its engine hung, and the engine was killed
	CauseTimedOut    Cause = "timed-out"    // the run took longer than it may
	CauseOutputLimit Cause = "output-limit" // the output exceeded a limit
	CauseNotStored   Cause = "not-stored"   // an output could not be stored
	CauseEngineDied  Cause = "engine-died"  // the engine ended during the run
	CauseExited      Cause = "exited"       // the program ended itself, and its variables are kept
	CauseExitedGone  Cause = "exited-gone"  // the program ended itself and its engine, with all variables

	CauseEarlierFailed Cause = "earlier-failed" // an earlier run of the same request failed or was stopped
	CauseEarlierExited Cause = "earlier-exited" // the program of an earlier run of the same request ended itself
	CauseDisplaced     Cause = "displaced"      // a later runtime displaced that of the run

	CauseShutdown Cause = "shutdown" // the runtime was told to stop
	CauseRestart  Cause = "restart"  // the runtime was told to restart
	CauseIdle     Cause = "idle"     // the runtime had been unused for too long
	CauseFailed   Cause = "failed"   // the runtime could not go on, or could not be started
	CauseLease    Cause = "lease"    // the runtime's connection was away too long
	CauseDied     Cause = "died"     // the same, because the runtime's process had ended
)

// Causes returns all causes.
func Causes() []Cause {
	return []Cause{
		CauseNotStarted, CauseKilled, CauseTimedOut, CauseOutputLimit, CauseNotStored, CauseEngineDied, CauseExited, CauseExitedGone,
		CauseEarlierFailed, CauseEarlierExited, CauseDisplaced,
		CauseShutdown, CauseRestart, CauseIdle, CauseFailed, CauseLease, CauseDied,
	}
}

// checkCause reports whether a cause is missing or has the form of a name. It accepts causes that this build does not
// know: a refused end would leave a run open.
func checkCause(c Cause) error {
	if c == "" {
		return nil
	}
	return checkName("cause", string(c))
}
