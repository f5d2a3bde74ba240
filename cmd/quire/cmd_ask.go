package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/cmd/quire/internal/cmdline"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/assist/prompt"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/host/terminal"
)

type askOptions struct {
	approve, model, after string
	timeout               time.Duration
	json                  bool
}

// The values of --approve.
const (
	approveNever = "never"
	approveAsk   = "ask"
	approveAll   = "all"
)

func (a *app) askCommand() *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask NOTEBOOK PROMPT",
		Short: "Have the assistant answer a prompt in a new AI cell",
		Long: `Have the assistant answer a prompt in a new AI cell, and write the answer as it
comes, with the tools that it calls. A prompt of - is stdin. The server starts the
assistant; "quire provider" sets up where its models come from.

Tools that edit or run ask first, unless the policy of the notebook allows them. At a
terminal you are asked, with what would change; the answers are y for this once, a
for always in this notebook, and n, behind which the reason may stand. Elsewhere
nothing is approved, unless --approve says all.

With --json stdout gets one line when the answer has ended, as "quire exec" has it.
ctrl-C stops the answer and exits with 130; so does every program that it runs.`,
		Example: "  quire ask k3x9ab \"why does @3 fail?\"\n  quire ask k3x9ab --approve all \"plot the tides by month\"",
		Args:    cmdline.Want("NOTEBOOK", "PROMPT"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.ask(cmd.Context(), args[0], args[1], o) },
	}
	cmdline.StringFlag(cmd.Flags(), &o.approve, "approve", "WHEN", "approve tools never, ask, or all; default: ask at a terminal, else never")
	cmdline.StringFlag(cmd.Flags(), &o.model, "model", "MODEL", "the model, or PROVIDER/MODEL")
	cmdline.StringFlag(cmd.Flags(), &o.after, "after", "CELL", "put the prompt after this cell")
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "stop an answer that takes longer, such as 90s")
	settings.Placeholder(cmd.Flags(), "timeout", "DURATION")
	linesFlag(cmd, &o.json)
	return cmd
}

func (a *app) ask(ctx context.Context, name, text string, o askOptions) error {
	o.approve = cmp.Or(o.approve, a.usualApproval())
	if err := cmdline.OneOf("approve", o.approve, approveNever, approveAsk, approveAll); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	if o.approve == approveAsk && !a.asksPerson() {
		return fail(exitUsage, "ask: --approve ask needs a terminal; say never or all")
	}
	text, err := a.text(text)
	if err == nil && strings.TrimSpace(text) == "" {
		err = fail(exitUsage, "the prompt is empty")
	}
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	return a.inNotebookOf(ctx, name, func(id string, j *terminal.Session) error {
		cell, err := addPrompt(ctx, j, text, o)
		if err != nil {
			return err
		}
		return a.followAnswer(ctx, id, j, cell, o)
	})
}

// usualApproval is what --approve is if it is not given.
func (a *app) usualApproval() string {
	if a.asksPerson() {
		return approveAsk
	}
	return approveNever
}

// asksPerson reports whether a person at a terminal can be asked.
func (a *app) asksPerson() bool { return a.isTerminal && a.console != nil && !a.console.Ends() }

// addPrompt adds an ai cell with a prompt.
func addPrompt(ctx context.Context, j *terminal.Session, text string, o askOptions) (event.CellID, error) {
	made := &event.CellCreated{Cell: event.CellID(newID(cellIDLen)), Kind: event.KindAI, Source: text}
	err := j.Propose(ctx, func(n *notebook.Notebook) (event.Payload, error) {
		at, err := indexAfter(n, o.after)
		if err != nil {
			return nil, err
		}
		made.Order, err = n.Between(at)
		return made, err
	})
	if err != nil || o.model == "" {
		return made.Cell, err
	}
	own := prompt.Settings{Model: o.model}
	if provider, model, ok := strings.Cut(o.model, "/"); ok {
		own = prompt.Settings{Provider: provider, Model: model}
	}
	value, err := json.Marshal(own)
	if err != nil {
		return "", err
	}
	return made.Cell, j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) {
		return &event.CellMetadataSet{Cell: made.Cell, Key: prompt.MetadataKey, Value: value}, nil
	})
}

// followAnswer runs a prompt, writes its answer, and answers its questions.
func (a *app) followAnswer(ctx context.Context, id string, j *terminal.Session, cell event.CellID, o askOptions) error {
	runs := newRuns(j.Copy(), []event.CellID{cell})
	count := terminal.Tally{Total: len(runs)}
	p := a.newPrinter(a.stderr)
	if !terminal.StreamOf(a.stdout).Terminal {
		p.Open = a.openArtifacts(ctx, id)
	}
	f := terminal.NewFollower(runs, o.timeout, p)
	f.Silent, f.KeepOutputs = o.json, o.json
	f.Ended = func(r terminal.Outcome) {
		count.Add(r)
		if o.json {
			p.Failed = cmp.Or(p.Failed, terminal.WriteEnded(a.stdout, r))
			return
		}
		if r.Status != event.StatusOK || r.Reason != "" {
			p.Line("cell %s", r)
		}
	}
	asking, stop := context.WithCancel(ctx)
	var answering sync.WaitGroup
	answering.Go(func() { a.answerApprovals(asking, j, runs[0].Run, o.approve) })
	err := f.Follow(ctx, j)
	stop()
	answering.Wait()
	if err != nil {
		return err
	}
	if err := count.Verdict(); err != nil {
		return err
	}
	return p.Failed
}

// answerApprovals answers the questions of an assistant's run until ctx ends.
func (a *app) answerApprovals(ctx context.Context, j *terminal.Session, run event.RunID, approve string) {
	for {
		var open notebook.Approval
		err := j.Wait(ctx, func(r *replica.Replica) bool {
			n := r.View()
			for _, id := range n.Approvals() {
				if q := n.Approval(id); q.Run == run && q.Answer == "" {
					open = *q
					return true
				}
			}
			return false
		})
		if err != nil {
			return
		}
		given := a.approvalOf(&open, approve)
		given.Approval = open.ID
		err = j.Propose(ctx, func(*notebook.Notebook) (event.Payload, error) { return &given, nil })
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(a.stderr, "the answer to %s was not taken: %v\n", open.Tool, err)
			return // the assistant goes on when its wait ends
		}
	}
}

// approvalOf returns the answer to a question.
func (a *app) approvalOf(q *notebook.Approval, approve string) event.ApprovalAnswered {
	switch approve {
	case approveAll:
		return event.ApprovalAnswered{Answer: event.AnswerOnce}
	case approveNever:
		return event.ApprovalAnswered{Answer: event.AnswerDenied, Reason: "nobody is there to approve it"}
	}
	fmt.Fprintf(a.stderr, "\n%s (%s) %s\n%s", terminal.CleanLine(q.Tool), q.Class, terminal.CleanLine(string(q.Arguments)), cleanLines(q.Diff))
	line, err := a.console.Ask("Allow it? y, a for always, n REASON: ", false)
	answer, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case err == nil && strings.EqualFold(answer, "y"):
		return event.ApprovalAnswered{Answer: event.AnswerOnce}
	case err == nil && strings.EqualFold(answer, "a"):
		return event.ApprovalAnswered{Answer: event.AnswerAlways}
	}
	return event.ApprovalAnswered{Answer: event.AnswerDenied, Reason: reason[:min(len(reason), event.MaxReason)]}
}

// cleanLines returns lines without control characters.
func cleanLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(terminal.CleanLine(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}
