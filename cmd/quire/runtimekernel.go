package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/internal/python"
)

// lookPause is how long a runtime waits before it asks a server again that is away.
const lookPause = 100 * time.Millisecond

// checkKernel notes a kernel that was set and cannot be used.
func (a *app) checkKernel(wrong *settings.Errors) {
	if a.config.Kernel == "" {
		return
	}
	if err := a.host().Kernels().Check(a.config.Kernel); err != nil {
		wrong.Add("kernel", "%v", err)
	}
}

// checkPython notes a Python that was set and cannot be started.
func (a *app) checkPython(wrong *settings.Errors) {
	if a.config.Python == "" {
		return
	}
	if _, err := python.Find(python.Config{Python: a.config.Python, Env: settings.ForPrograms(a.environ)}); err != nil {
		wrong.Add("python", "%v", err)
	}
}

// kernelsFor decides what executes the runtime's notebook, by what that says of itself
// now. While the server is away it waits, as it does for its room; what is wrong
// otherwise the room will say.
func (a *app) kernelsFor(ctx context.Context, other string, looks *patience) engines.Choice {
	ks := a.host().Kernels()
	for {
		looks.begin()
		m, err := a.notebookMetadata(ctx)
		if err == nil {
			looks.met()
			return ks.Choose(m, other)
		}
		var over *protocol.Closed
		if code, _ := codeOf(err); ctx.Err() != nil || code != exitUnavailable || errors.As(looks.missed(err), &over) {
			return ks.Choose(nil, other)
		}
		select {
		case <-time.After(lookPause):
		case <-ctx.Done():
		}
	}
}

// notebookMetadata asks the server what the runtime's notebook says of itself.
func (a *app) notebookMetadata(ctx context.Context) (engines.Metadata, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	id := a.config.Notebook
	if len(id) < fullID {
		if id, err = c.resolve(ctx, id); err != nil {
			return nil, err
		}
	}
	var view struct {
		Notebook struct {
			Metadata engines.Metadata `json:"metadata"`
		} `json:"notebook"`
	}
	err = c.call(ctx, http.MethodGet, notebookPath(id)+"/view?cells=1", nil, &view)
	return view.Notebook.Metadata, err
}
