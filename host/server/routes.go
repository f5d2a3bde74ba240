package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
)

// routes is the table of all that the server answers.
func (s *Server) routes() []route {
	may := func(a access.Action) need { return need{who: inNotebook, action: a} }
	page := []param{
		{"limit", "integer", "how many at most"},
		{"after", "string", "where the page before ended: the value of its next"},
	}
	shown := []param{
		{"type", "string", "of the content, such as image/png, which it is served as if it is that and can do no harm"},
		{"name", "string", "of the file, if it is saved"},
	}
	link := []param{
		{"token", "string", "from the link, or the link"},
		{"next", "string", "the page to show then, which is the first one if it is none of ours"},
	}
	return []route{
		{"GET", "/{$}", "The page with your notebooks, or how to sign in.", need{}, nil, s.page()},
		{"GET", "/nb/{id}", "The page of a notebook, or how to sign in.", need{}, nil, s.page()},
		{"GET", "/nb/{id}/{slug...}", "The same, with what people call the notebook in its address.", need{}, nil, s.page()},
		{"GET", "/assets/{path...}", "A part of the page, whose name changes with what is in it.", need{}, nil, s.asset()},
		{"GET", "/shell", "The page without a notebook in it, which a browser keeps for when the server is away.", need{}, nil, s.shell()},
		{"GET", "/frame/{$}", "The page in which outputs are shown, in an origin of its own.", need{}, nil, s.frame()},
		{"GET", "/artifacts/{link}", "An artifact, or a part of it, to who has a link.", need{}, nil, s.followLink()},
		{"GET", "/exports/{link}", "A notebook as a file, in the browser that has asked for the link.", need{who: byLink, action: access.Read}, nil, s.exportNotebook()},
		{"GET", "/{file}", "A file that lies beside the page, such as its icon.", need{}, nil, s.file()},
		{"GET", "/login", "Asks whether to sign this browser in with the token of a link.", need{}, link, s.confirmLogin()},
		{"POST", "/login", "Signs a browser in with the token of a link, once.", need{}, link, s.login()},
		{"GET", "/logout", "Asks whether to sign this browser out.", need{}, nil, s.confirmLogout()},
		{"GET", "/metrics", "Figures for Prometheus.", need{who: serverOwner}, nil, s.metrics()},

		{"GET", "/api/audit", "Who has done what, in order.", need{who: serverOwner}, []param{
			{"since", "string", "no acts before this time, as RFC 3339 has it"},
			{"actor", "string", "only those of one, such as person:owner or owner"},
			{"kind", "string", "only those of one kind, such as sign-in"},
			{"limit", "integer", "how many at most"},
		}, s.audit()},
		{"GET", "/api/health", "Whether the server is up.", need{}, nil, typed(200, s.health)},
		{"GET", "/api/version", "Which version the server is.", need{}, nil, typed(200, s.version)},
		{"GET", proofPath, "Proves which server this is to a program that knows its key.", need{}, []param{
			{"nonce", "string", "32 random bytes in base64url, which the proof is for"},
		}, typed(200, s.prove)},
		{"GET", "/api/openapi.json", "This document.", need{}, nil, s.document()},
		{"GET", "/api/me", "Who you are to the server.", need{who: someone}, nil, typed(200, s.me)},
		{"POST", "/api/links", "Makes a link that signs a browser in, once.", need{who: serverOwner, fresh: true}, nil, typed(201, s.createLink)},
		{"POST", "/api/tokens", "Makes a key for a program, good for one notebook.", need{who: serverOwner, fresh: true}, nil, typed(201, s.createToken)},
		{"GET", "/api/tokens", "Lists the tokens that are good.", need{who: serverOwner}, nil, typed(200, s.listTokens)},
		{"DELETE", "/api/tokens/{token}", "Revokes a token, and ends the sockets that were opened with it.", need{who: serverOwner}, nil, mayMiss(typed(204, s.revokeToken))},
		{"POST", "/api/logout", "Signs the browser that asks out. A token stays good.", need{who: someone}, nil, typed(204, s.signOut)},

		{"GET", "/api/notebooks", "Lists your notebooks, those changed last first.", need{who: people}, append(page[:2:2],
			param{"deleted", "boolean", "the deleted ones instead of the others"},
			param{"search", "string", "words that the title must have, in whatever case"},
			param{"sort", "string", "changed, which is the default, created or title"},
			param{"order", "string", "asc or desc; by default the latest first, and titles from A to Z"},
		), typed(200, s.listNotebooks)},
		{"POST", "/api/notebooks", "Creates a notebook.", need{who: people}, nil, typed(201, s.createNotebook)},
		{"POST", "/api/notebooks/import", "Creates a notebook from a file.", need{who: people}, []param{
			{"title", "string", "in place of the file's own"},
			{"format", "string", "ipynb, py, md, or the ending of another language's programs; by default what the type or the file says"},
		}, s.importNotebook()},
		{"GET", "/api/notebooks/{id}", "What the directory knows of a notebook.", may(access.Read), nil, typed(200, s.notebook)},
		{"PATCH", "/api/notebooks/{id}", "Renames a notebook.", may(access.Manage), nil, typed(200, s.renameNotebook)},
		{"DELETE", "/api/notebooks/{id}", "Deletes a notebook. It can be restored.", may(access.Manage), nil, typed(204, s.deleteNotebook)},
		{
			"POST", "/api/notebooks/{id}/purge", "Removes a notebook, deleted or not, for good, with its history and all that only it has.",
			need{who: inNotebook, action: access.Manage, gone: true, person: true, fresh: true},
			nil, typed(204, s.purgeNotebook),
		},
		{"POST", "/api/notebooks/{id}/restore", "Restores a deleted notebook.", need{who: inNotebook, action: access.Manage, gone: true}, nil, typed(200, s.restoreNotebook)},
		{
			"POST", "/api/notebooks/{id}/duplicate", "Copies a notebook, as it is now, into a new one of yours.",
			need{who: inNotebook, action: access.Read, person: true},
			nil, typed(201, s.duplicateNotebook),
		},
		{"GET", "/api/notebooks/{id}/export", "The notebook as a file.", may(access.Read), []param{
			{"format", "string", "ipynb, which is the default, py, md, html, or the ending of another language's programs"},
		}, s.exportNotebook()},
		{"POST", "/api/notebooks/{id}/export/link", "Makes a link by which the browser that asks can save the notebook, for some minutes.", may(access.Read), nil, typed(201, s.linkExport)},
		{"GET", "/api/notebooks/{id}/view", "What a page shows of the first cells, to be there before the notebook is.", may(access.Read), []param{
			{"cells", "integer", "how many; 40 by default, 500 at most"},
		}, s.readView()},
		{"GET", "/api/notebooks/{id}/log", "Events of the log, one JSON object a line.", need{who: inNotebook, action: access.Read, past: true}, []param{
			{"after", "integer", "the number of the event before the first"}, page[0],
		}, s.readLog()},
		{"GET", "/api/notebooks/{id}/sync", "Opens a WebSocket to the notebook's room.", may(access.Read), nil, s.sync()},
		{"POST", "/api/notebooks/{id}/artifacts", "Adds an artifact, which is the body.", may(access.Upload), nil, s.uploadArtifact()},
		{"GET", "/api/notebooks/{id}/artifacts/{hash}", "An artifact of the notebook, or a part of it.", may(access.Read), shown, s.downloadArtifact()},
		{"POST", "/api/notebooks/{id}/artifacts/{hash}/link", "Makes a link by which anybody can read an artifact, for some minutes.", may(access.Read), nil, typed(201, s.linkArtifact)},
		{"GET", "/api/notebooks/{id}/limits", "What the notebook's runtimes may use.", may(access.Read), nil, typed(200, s.notebookLimits)},
		{"PUT", "/api/notebooks/{id}/limits", "Replaces the notebook's own limits, which hold from the next start of its runtime on.", may(access.Manage), nil, typed(200, s.setNotebookLimits)},
		{"GET", "/api/notebooks/{id}/trust", "Whether the notebook is trusted, and its programs run in a sandbox.", may(access.Read), nil, typed(200, s.notebookTrust)},
		{"PUT", "/api/notebooks/{id}/trust", "Says whether the notebook is trusted, from the next start of its runtime on.", may(access.Manage), nil, typed(200, s.setNotebookTrust)},
		{"DELETE", "/api/notebooks/{id}/runtime", "Stops the runtime that takes code, and answers when it is gone.", may(access.Attach), nil, typed(204, s.stopRuntime)},
		{"POST", "/api/notebooks/{id}/runtime/limit", "Has the server's log say which limit programs have hit, as the notebook's runtime states it.", may(access.Execute), nil, typed(204, s.hitLimit)},
		{"POST", "/api/notebooks/{id}/runtime/restart", "Stops the runtime that takes code, if there is one, and starts another.", may(access.Run), nil, typed(204, s.restartRuntime)},
	}
}

// mux sends each request to its route, and what is none to an answer that says so.
func (s *Server) mux(routes []route) http.Handler {
	mux := http.NewServeMux()
	var methods []string
	for _, r := range routes {
		mux.Handle(r.method+" "+r.path, s.serve(r))
		if !slices.Contains(methods, r.method) {
			methods = append(methods, r.method)
		}
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range methods {
			other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
			if _, pattern := mux.Handler(other); pattern != "/" {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			s.fail(w, r, problem.New(protocol.CodeNotFound, "there is nothing at this path"))
			return
		}
		allow := strings.Join(allowed, ", ")
		w.Header().Set("Allow", allow)
		s.fail(w, r, problem.WithStatus(http.StatusMethodNotAllowed, protocol.CodeInvalid, "this path takes "+allow))
	})
	return mux
}

// serve answers the requests of one route.
func (s *Server) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := r.Context().Value(callKey{}).(signin.Principal)
		c := &call{w: w, r: r, who: who}
		err := s.permit(c, rt.need)
		if err == nil {
			err = rt.endpoint.checkBody(w, r, s.cfg.Limits)
		}
		if err == nil {
			err = s.recording(rt, c, func() error { return rt.endpoint.serve(c) })
		}
		if err != nil {
			s.fail(w, r, err)
		}
	})
}
