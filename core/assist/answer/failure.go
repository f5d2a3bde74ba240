package answer

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/lang"
)

// ModelFailed is the name of the error of a run whose model did not answer.
const ModelFailed = "ModelFailed"

// errorOf returns the error of a run in words that say what to do, nil for none.
func errorOf(err error) *lang.Error {
	if err == nil {
		return nil
	}
	var failed *assist.ModelError
	if !errors.As(err, &failed) {
		return &lang.Error{Name: "AssistantFailed", Message: err.Error()}
	}
	return &lang.Error{Name: ModelFailed, Message: fmt.Sprintf("%s. %s", failed.Error(), advice(failed))}
}

// advice says what a person can do about a failure.
func advice(e *assist.ModelError) string {
	switch e.Kind {
	case assist.FailedKey:
		return fmt.Sprintf("Check the key: `quire provider add %s` asks for a new one", e.Provider)
	case assist.FailedQuota:
		return "The account at the service is used up: add to it, or choose another model in the settings of the cell"
	case assist.FailedRate:
		if e.After > 0 {
			return fmt.Sprintf("The service asks to wait %v: run the cell again then", e.After)
		}
		return "The service has had too many requests: wait a minute and run the cell again"
	case assist.FailedOverloaded:
		return "The service has trouble: run the cell again in a moment"
	case assist.FailedUnreachable:
		return "Check the network, and the address of the provider; a local one must be running"
	case assist.FailedModel:
		return "Choose another model in the settings of the cell"
	case assist.FailedLength:
		return "The notebook is too long for the model: hide cells from the assistant, set a smaller `budget`, or choose another model"
	}
	return "Run the cell again; if it stays so, choose another model"
}
