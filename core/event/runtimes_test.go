package event_test

import "github.com/quirehq/quire/core/event"

func runtimeCases() []checkCase {
	return []checkCase{
		{&event.RuntimeStarted{Runtime: "k3x9", Name: "Ada's laptop", Takes: event.TakesCode, Languages: []string{"python", "r"}}, ""},
		{&event.RuntimeStarted{Runtime: "k3x9", Takes: event.TakesAI}, ""},
		{&event.RuntimeStarted{Takes: event.TakesAI}, "runtime is missing"},
		{&event.RuntimeStarted{Runtime: "k3x9"}, `takes "" is none of ["code" "ai"]`},
		{&event.RuntimeStarted{Runtime: "k3x9", Name: long(257), Takes: event.TakesCode}, "name is 257 bytes, at most 256 fit"},

		{&event.RuntimeReady{Runtime: "k3x9", Epoch: 2}, ""},
		{&event.RuntimeReady{Runtime: "k3x9"}, noEpoch},
		{&event.RuntimeReady{Epoch: 2}, "runtime is missing"},

		{&event.RuntimeStopped{Runtime: "k3x9", Epoch: 2, Reason: event.StopFailed, Detail: "out of memory"}, ""},
		{&event.RuntimeStopped{Runtime: "k3x9", Epoch: 2, Reason: event.StopLease}, ""},
		{&event.RuntimeStopped{Runtime: "k3x9", Epoch: 2, Reason: event.StopLease, Cause: event.CauseDied}, ""},
		{&event.RuntimeStopped{Runtime: "k3x9", Epoch: 2, Reason: event.StopLease, Cause: "its process ended"}, `cause "its process ended" has a character other than letters, digits, - and _`},
		{&event.RuntimeStopped{Runtime: "k3x9", Epoch: 2}, `reason "" is none of ["shutdown" "restart" "idle" "failed" "lease"]`},
		{&event.RuntimeStopped{Runtime: "k3x9", Reason: event.StopIdle}, noEpoch},
	}
}
