package event

// InputID names one request for input.
type InputID string

// InputAsked says that a running program waits for a line of text from a person.
type InputAsked struct {
	Input  InputID `json:"input"`
	Run    RunID   `json:"run"`
	Epoch  Epoch   `json:"epoch"`
	Prompt string  `json:"prompt,omitempty"`
	// Secret asks the interface not to show the typed text. No event holds the answer: it goes to the runtime in a
	// call, and the runtime then appends InputClosed.
	Secret bool `json:"secret,omitempty"`
}

// Type returns InputAsked.
func (*InputAsked) Type() Type { return "InputAsked" }

// Check requires an input, a run and an epoch, and a prompt of up to [MaxPrompt] bytes.
func (e *InputAsked) Check() error {
	return firstError(checkName("input", string(e.Input)), checkRunEpoch(e.Run, e.Epoch),
		checkText("prompt", e.Prompt, 0, MaxPrompt))
}

// InputAnswered says how a person answered a request for input that is not secret.
type InputAnswered struct {
	Input InputID `json:"input"`
	Value string  `json:"value"`
}

// Type returns InputAnswered.
func (*InputAnswered) Type() Type { return "InputAnswered" }

// Check requires an input, and a value of up to [MaxAnswer] bytes.
func (e *InputAnswered) Check() error {
	return firstError(checkName("input", string(e.Input)), checkText("value", e.Value, 0, MaxAnswer))
}

// InputClosed says that a program stopped waiting for input that no event answered: it was given a secret, its time was
// up, or it was stopped.
type InputClosed struct {
	Input InputID `json:"input"`
	Epoch Epoch   `json:"epoch"`
	// Answered says that the program was given a secret.
	Answered bool `json:"answered,omitempty"`
}

// Type returns InputClosed.
func (*InputClosed) Type() Type { return "InputClosed" }

// Check requires an input and an epoch.
func (e *InputClosed) Check() error {
	return firstError(checkName("input", string(e.Input)), checkEpoch(e.Epoch))
}
