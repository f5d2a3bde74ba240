package event

// RuntimeID names one session of a runtime: a restart makes a new one.
type RuntimeID string

// Takes is the kind of a runtime: which runs it takes. One that takes those of ai cells is an assistant.
type Takes string

// The classes of runs. A notebook has at most one runtime of each.
const (
	TakesCode Takes = "code" // runs of code and sql cells
	TakesAI   Takes = "ai"   // runs of ai cells
)

// Kinds returns the kinds of runtimes.
func Kinds() []Takes { return []Takes{TakesCode, TakesAI} }

// Actor returns the actor of a runtime of this kind.
func (t Takes) Actor(id RuntimeID) Actor {
	if t == TakesAI {
		return NewActor(ActorAssistant, string(id))
	}
	return NewActor(ActorRuntime, string(id))
}

// Serves reports whether the actors of a kind are runtimes.
func (k ActorKind) Serves() bool { return k == ActorRuntime || k == ActorAssistant }

// Takes is the kind of the runtimes that are actors of a kind, empty for those that are none.
func (k ActorKind) Takes() Takes {
	switch k {
	case ActorRuntime:
		return TakesCode
	case ActorAssistant:
		return TakesAI
	}
	return ""
}

// RuntimeStarted says that a runtime attached itself to the notebook. It gets the next epoch, and displaces the runtime
// that took the same runs before it.
type RuntimeStarted struct {
	Runtime   RuntimeID `json:"runtime"`
	Name      string    `json:"name,omitempty"` // for people
	Takes     Takes     `json:"takes"`
	Languages []string  `json:"languages,omitempty"`
	// Brought is the actor that connected the runtime, if that is not the server. The room sets it.
	Brought Actor `json:"brought,omitempty"`
}

// Type returns RuntimeStarted.
func (*RuntimeStarted) Type() Type { return "RuntimeStarted" }

// Check requires a runtime and a class of runs.
func (e *RuntimeStarted) Check() error {
	return firstError(checkRuntime(e.Runtime), checkText("name", e.Name, 0, MaxKey),
		checkOneOf("takes", e.Takes, TakesCode, TakesAI))
}

// RuntimeReady says that a runtime takes runs from now on.
type RuntimeReady struct {
	Runtime RuntimeID `json:"runtime"`
	Epoch   Epoch     `json:"epoch"`
}

// Type returns RuntimeReady.
func (*RuntimeReady) Type() Type { return "RuntimeReady" }

// Check requires a runtime and its epoch.
func (e *RuntimeReady) Check() error { return checkRuntimeEpoch(e.Runtime, e.Epoch) }

// StopReason says why a runtime stopped.
type StopReason string

// The reasons for which a runtime stops.
const (
	StopShutdown StopReason = "shutdown" // it was told to stop
	StopRestart  StopReason = "restart"  // it was told to restart
	StopIdle     StopReason = "idle"     // it had been unused for too long
	StopFailed   StopReason = "failed"   // it could not go on
	StopLease    StopReason = "lease"    // its connection was away too long
)

// RuntimeStopped says that a runtime is gone. The runs that it had are lost.
type RuntimeStopped struct {
	Runtime RuntimeID  `json:"runtime"`
	Epoch   Epoch      `json:"epoch"`
	Reason  StopReason `json:"reason"`
	// Detail is one sentence for people.
	Detail string `json:"detail,omitempty"`
	// Cause is set where it is more exact than Reason.
	Cause Cause `json:"cause,omitempty"`
}

// Type returns RuntimeStopped.
func (*RuntimeStopped) Type() Type { return "RuntimeStopped" }

// Check requires a runtime, its epoch and a reason. A cause has the form of a name.
func (e *RuntimeStopped) Check() error {
	return firstError(checkRuntimeEpoch(e.Runtime, e.Epoch), checkCause(e.Cause),
		checkOneOf("reason", e.Reason, StopShutdown, StopRestart, StopIdle, StopFailed, StopLease))
}

func checkRuntime(id RuntimeID) error { return checkName("runtime", string(id)) }

func checkRuntimeEpoch(id RuntimeID, epoch Epoch) error {
	return firstError(checkEpoch(epoch), checkRuntime(id))
}
