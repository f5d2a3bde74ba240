package terminal

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
)

// EventLine returns an event as one line for users: its number, time, author and content.
func EventLine(e *event.Event, in *time.Location) string {
	at := time.UnixMilli(int64(e.Time)).In(in).Format("2006-01-02 15:04:05")
	return fmt.Sprintf("%6d  %s  %-16s  %s", e.Seq, at, CleanLine(string(e.Actor)), CleanLine(describe(e.Payload)))
}

// broughtBy says who connected a runtime, and nothing of one that the server started.
func broughtBy(who event.Actor) string {
	if who == "" {
		return ""
	}
	return ", brought by " + string(who)
}

// describe describes an event in a few words.
func describe(p event.Payload) string {
	switch p := p.(type) {
	case *event.NotebookTitled:
		return fmt.Sprintf("titled %q", p.Title)
	case *event.NotebookMetadataSet:
		return "metadata " + p.Key + " set"
	case *event.FileAttached:
		return "file " + p.Name + " attached"
	case *event.FileRemoved:
		return "file " + p.Name + " removed"
	case *event.RuntimeStarted:
		return "runtime " + string(p.Runtime) + " started" + broughtBy(p.Brought)
	case *event.RuntimeReady:
		return "runtime " + string(p.Runtime) + " ready"
	case *event.RuntimeStopped:
		return "runtime " + string(p.Runtime) + " stopped: " + string(p.Reason) + because(p.Detail)
	}
	for _, family := range [...]func(event.Payload) string{describeCell, describeRun, describeOutput} {
		if s := family(p); s != "" {
			return s
		}
	}
	return string(p.Type())
}

func describeCell(p event.Payload) string {
	switch p := p.(type) {
	case *event.CellCreated:
		return fmt.Sprintf("cell %s created: %s, %s", p.Cell, p.Kind, characters(p.Source))
	case *event.SourceEdited:
		return fmt.Sprintf("cell %s edited: %+d", p.Cell, p.Edit.Delta())
	case *event.CellKindChanged:
		return fmt.Sprintf("cell %s is now %s", p.Cell, p.Kind)
	case *event.CellLanguageChanged:
		return fmt.Sprintf("cell %s is now in %q", p.Cell, p.Language)
	case *event.CellMoved:
		return fmt.Sprintf("cell %s moved", p.Cell)
	case *event.CellDeleted:
		return fmt.Sprintf("cell %s deleted", p.Cell)
	case *event.CellRestored:
		return fmt.Sprintf("cell %s restored", p.Cell)
	case *event.CellVisibilitySet:
		return fmt.Sprintf("cell %s shown differently", p.Cell)
	case *event.CellMetadataSet:
		return fmt.Sprintf("cell %s: metadata %s set", p.Cell, p.Key)
	}
	return ""
}

func describeRun(p event.Payload) string {
	switch p := p.(type) {
	case *event.RunRequested:
		if len(p.Runs) == 1 {
			return fmt.Sprintf("run %s of cell %s requested", p.Runs[0].Run, p.Runs[0].Cell)
		}
		return fmt.Sprintf("%d runs requested", len(p.Runs))
	case *event.RunAssigned:
		return fmt.Sprintf("run %s assigned", p.Run)
	case *event.RunStarted:
		return fmt.Sprintf("run %s started", p.Run)
	case *event.RunFinished:
		took := time.Duration(p.Took) * time.Millisecond
		return fmt.Sprintf("run %s finished: %s in %s", p.Run, p.Status, took) + because(whyEnded(p.Cause, p.Reason))
	case *event.SourceOffered:
		return fmt.Sprintf("run %s offers a source: %s", p.Run, characters(p.Source))
	case *event.RunCancelled:
		return fmt.Sprintf("run %s cancelled", p.Run)
	case *event.AllRunsCancelled:
		return "all runs cancelled"
	case *event.InputAsked:
		return fmt.Sprintf("run %s asks for input", p.Run)
	case *event.InputAnswered:
		return fmt.Sprintf("input %s answered", p.Input)
	case *event.InputClosed:
		if p.Answered {
			return fmt.Sprintf("input %s answered in secret", p.Input)
		}
		return fmt.Sprintf("input %s closed without an answer", p.Input)
	}
	return ""
}

func describeOutput(p event.Payload) string {
	switch p := p.(type) {
	case *event.OutputAdded:
		return fmt.Sprintf("run %s: %s", p.Run, outputName(&p.Value))
	case *event.OutputAppended:
		return fmt.Sprintf("run %s: %s more", p.Run, characters(p.Text))
	case *event.OutputStored:
		return fmt.Sprintf("run %s: %s", p.Run, artifactList(p.Artifacts))
	case *event.DisplayUpdated:
		return fmt.Sprintf("run %s: display %s updated", p.Run, p.DisplayID)
	case *event.OutputsCleared:
		return fmt.Sprintf("run %s: outputs cleared", p.Run)
	case *event.CellOutputsCleared:
		return "outputs cleared"
	case *event.OutputsImported:
		return fmt.Sprintf("cell %s: %d outputs imported", p.Cell, len(p.Outputs))
	}
	return ""
}

func outputName(v *event.Output) string {
	if v.Kind == event.OutputStream {
		return v.Stream + ", " + characters(v.Text)
	}
	return string(v.Kind)
}

func characters(s string) string {
	n := utf8.RuneCountInString(s)
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}
