package event

// catalogue has a maker for every payload that this build knows. To add an event,
// add its struct to a family's file and a line here.
var catalogue = map[Type]func() Payload{
	"NotebookTitled":      func() Payload { return new(NotebookTitled) },
	"NotebookMetadataSet": func() Payload { return new(NotebookMetadataSet) },

	"CellCreated":         func() Payload { return new(CellCreated) },
	"SourceEdited":        func() Payload { return new(SourceEdited) },
	"CellKindChanged":     func() Payload { return new(CellKindChanged) },
	"CellLanguageChanged": func() Payload { return new(CellLanguageChanged) },
	"CellMoved":           func() Payload { return new(CellMoved) },
	"CellDeleted":         func() Payload { return new(CellDeleted) },
	"CellRestored":        func() Payload { return new(CellRestored) },
	"CellVisibilitySet":   func() Payload { return new(CellVisibilitySet) },
	"CellMetadataSet":     func() Payload { return new(CellMetadataSet) },

	"RunRequested":     func() Payload { return new(RunRequested) },
	"RunAssigned":      func() Payload { return new(RunAssigned) },
	"RunStarted":       func() Payload { return new(RunStarted) },
	"RunFinished":      func() Payload { return new(RunFinished) },
	"SourceOffered":    func() Payload { return new(SourceOffered) },
	"RunCancelled":     func() Payload { return new(RunCancelled) },
	"AllRunsCancelled": func() Payload { return new(AllRunsCancelled) },
	"InputAsked":       func() Payload { return new(InputAsked) },
	"InputAnswered":    func() Payload { return new(InputAnswered) },
	"InputClosed":      func() Payload { return new(InputClosed) },

	"OutputAdded":        func() Payload { return new(OutputAdded) },
	"OutputAppended":     func() Payload { return new(OutputAppended) },
	"OutputStored":       func() Payload { return new(OutputStored) },
	"DisplayUpdated":     func() Payload { return new(DisplayUpdated) },
	"OutputsCleared":     func() Payload { return new(OutputsCleared) },
	"CellOutputsCleared": func() Payload { return new(CellOutputsCleared) },
	"OutputsImported":    func() Payload { return new(OutputsImported) },

	"RuntimeStarted": func() Payload { return new(RuntimeStarted) },
	"RuntimeReady":   func() Payload { return new(RuntimeReady) },
	"RuntimeStopped": func() Payload { return new(RuntimeStopped) },

	"ApprovalAsked":    func() Payload { return new(ApprovalAsked) },
	"ApprovalAnswered": func() Payload { return new(ApprovalAnswered) },

	"CommOpened":  func() Payload { return new(CommOpened) },
	"CommUpdated": func() Payload { return new(CommUpdated) },
	"CommSent":    func() Payload { return new(CommSent) },
	"CommClosed":  func() Payload { return new(CommClosed) },
	"CommsLost":   func() Payload { return new(CommsLost) },

	"FileAttached": func() Payload { return new(FileAttached) },
	"FileRemoved":  func() Payload { return new(FileRemoved) },
}

// New returns an empty payload of the type, or nil for a type that this build
// does not know.
func New(t Type) Payload {
	if f, ok := catalogue[t]; ok {
		return f()
	}
	return nil
}

// Types returns the names of all events that this build knows, in no order.
func Types() []Type {
	types := make([]Type, 0, len(catalogue))
	for t := range catalogue {
		types = append(types, t)
	}
	return types
}
