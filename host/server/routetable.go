package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// routes is the table of all routes.
func (s *Server) routes() []route {
	may := func(a access.Action) need { return need{who: inNotebook, action: a} }
	page := []param{
		{"limit", "integer", "the largest number in the answer"},
		{"after", "string", "the value of next in the page before"},
	}
	shown := []param{
		{"type", "string", "the type of the content, such as image/png; it is served as that if the bytes look like it and the type is harmless"},
		{"name", "string", "the name of the file, if it is saved"},
	}
	link := []param{
		{"token", "string", "the token of the link, or the whole link"},
		{"next", "string", "the path of the page to show after the sign-in; the first page if it is not a path of this application"},
	}
	return []route{
		{"GET", "/{$}", "Returns the page with your notebooks, or the page to sign in.", need{}, nil, s.page()},
		{"GET", "/nb/{id}", "Returns the page of a notebook, or the page to sign in.", need{}, nil, s.page()},
		{"GET", "/nb/{id}/{slug...}", "Returns the page of a notebook whose address has its title too, or the page to sign in.", need{}, nil, s.page()},
		{"GET", "/assets/{path...}", "Returns a static file of the page, whose name changes with its content.", need{}, nil, s.asset()},
		{"GET", "/shell", "Returns the page without a notebook, which browsers cache for use while the server is away.", need{}, nil, s.shell()},
		{"GET", "/frame/{$}", "Returns the frame in which outputs are shown, in an opaque origin.", need{}, nil, s.frame()},
		{"GET", "/artifacts/{link}", "Returns an artifact, or a byte range of it, for a signed link.", need{}, nil, s.followLink()},
		{"GET", "/exports/{link}", "Returns a notebook as a file, for a signed link, in the browser that requested the link.", need{who: byLink, action: access.Read}, nil, s.exportNotebook()},
		{"GET", "/{file}", "Returns another static file of the page, such as its icon.", need{}, nil, s.file()},
		{"GET", "/login", "Returns a page that asks whether to sign this browser in with the token of a link.", need{}, link, s.confirmLogin()},
		{"POST", "/login", "Signs a browser in with the token of a link, once.", need{}, link, s.login()},
		{"GET", "/logout", "Returns a page that asks whether to sign this browser out.", need{}, nil, s.confirmLogout()},
		{"GET", "/metrics", "Returns metrics for Prometheus.", need{who: serverOwner}, nil, s.metrics()},

		{"GET", "/api/audit", "Lists the recorded acts, in order.", need{who: serverOwner}, []param{
			{"since", "string", "the time of the first act, in the form of RFC 3339"},
			{"actor", "string", "the author of the acts, such as person:owner or owner"},
			{"kind", "string", "the kind of the acts, such as sign-in"},
			{"limit", "integer", "the largest number in the answer"},
		}, s.audit()},
		{"GET", "/api/health", "Reports whether the server is up.", need{}, nil, typed(200, s.health)},
		{"GET", "/api/version", "Returns the versions of the server and of the protocol.", need{}, nil, typed(200, s.version)},
		{"GET", proofPath, "Returns a proof of the server's identity, for programs that know its key.", need{}, []param{
			{"nonce", "string", "32 random bytes in base64url, which the proof signs"},
		}, typed(200, s.prove)},
		{"GET", "/api/openapi.json", "Returns this document.", need{}, nil, s.document()},
		{"GET", "/api/me", "Returns the signed-in principal.", need{who: someone}, nil, typed(200, s.me)},
		{"POST", "/api/links", "Creates a link that signs a browser in, once.", need{who: serverOwner, fresh: true}, nil, typed(201, s.createLink)},
		{"POST", "/api/tokens", "Creates a token for a program, good for one notebook.", need{who: serverOwner, fresh: true}, nil, typed(201, s.createToken)},
		{"GET", "/api/tokens", "Lists the good tokens.", need{who: serverOwner}, nil, typed(200, s.listTokens)},
		{"DELETE", "/api/tokens/{token}", "Revokes a token, and ends the sockets that were opened with it.", need{who: serverOwner}, nil, mayMiss(typed(204, s.revokeToken))},
		{"POST", "/api/logout", "Signs out the browser that sends the request. A token stays good.", need{who: someone}, nil, typed(204, s.signOut)},

		{"GET", "/api/notebooks", "Lists your notebooks.", need{who: people}, append(page[:2:2],
			param{"deleted", "boolean", "whether to list the deleted notebooks instead of the others"},
			param{"search", "string", "words that the title has, in any case"},
			param{"sort", "string", "changed (the default), created or title"},
			param{"order", "string", "asc or desc; by default the latest first, or titles from A to Z"},
		), typed(200, s.listNotebooks)},
		{"POST", "/api/notebooks", "Creates a notebook.", need{who: people}, nil, typed(201, s.createNotebook)},
		{"POST", "/api/notebooks/import", "Creates a notebook from a file.", need{who: people}, []param{
			{"title", "string", "the title, instead of that of the file"},
			{"format", "string", "ipynb, py, md, or the file ending of another language; by default the format of the type, or the one that the file looks like"},
		}, s.importNotebook()},
		{"GET", "/api/notebooks/{id}", "Returns the entry of a notebook in the directory.", may(access.Read), nil, typed(200, s.notebook)},
		{"PATCH", "/api/notebooks/{id}", "Renames a notebook.", may(access.Manage), nil, typed(200, s.renameNotebook)},
		{"DELETE", "/api/notebooks/{id}", "Deletes a notebook. It can be restored.", may(access.Manage), nil, typed(204, s.deleteNotebook)},
		{
			"POST", "/api/notebooks/{id}/purge", "Removes a notebook, deleted or not, for good, with its history and the artifacts that only it has.",
			need{who: inNotebook, action: access.Manage, gone: true, person: true, fresh: true},
			nil, typed(204, s.purgeNotebook),
		},
		{"POST", "/api/notebooks/{id}/restore", "Restores a deleted notebook.", need{who: inNotebook, action: access.Manage, gone: true}, nil, typed(200, s.restoreNotebook)},
		{
			"POST", "/api/notebooks/{id}/duplicate", "Creates a notebook of yours as a copy of the current state of another.",
			need{who: inNotebook, action: access.Read, person: true},
			nil, typed(201, s.duplicateNotebook),
		},
		{"GET", "/api/notebooks/{id}/export", "Returns the notebook as a file.", may(access.Read), []param{
			{"format", "string", "ipynb (the default), py, md, html, or the file ending of another language"},
		}, s.exportNotebook()},
		{"POST", "/api/notebooks/{id}/export/link", "Creates a link by which the browser that requests it can save the notebook, good for some minutes.", may(access.Read), nil, typed(201, s.linkExport)},
		{"GET", "/api/notebooks/{id}/view", "Returns the rows of the first cells, which a page shows before its replica is loaded.", may(access.Read), []param{
			{"cells", "integer", "the number of cells; 40 by default, 500 at most"},
		}, s.readView()},
		{"GET", "/api/notebooks/{id}/log", "Returns events of the log, one JSON object a line.", need{who: inNotebook, action: access.Read, past: true}, []param{
			{"after", "integer", "the number of the event before the first"}, page[0],
		}, s.readLog()},
		{"GET", "/api/notebooks/{id}/sync", "Opens a WebSocket to the notebook's room.", may(access.Read), nil, s.sync()},
		{"POST", "/api/notebooks/{id}/artifacts", "Stores the body as an artifact of the notebook.", may(access.Upload), nil, s.uploadArtifact()},
		{"GET", "/api/notebooks/{id}/artifacts/{hash}", "Returns an artifact of the notebook, or a byte range of it.", may(access.Read), shown, s.downloadArtifact()},
		{"POST", "/api/notebooks/{id}/artifacts/{hash}/link", "Creates a link by which anyone can read an artifact, good for some minutes.", may(access.Read), nil, typed(201, s.linkArtifact)},
		{"GET", "/api/notebooks/{id}/limits", "Returns the limits of the notebook's runtimes.", may(access.Read), nil, typed(200, s.notebookLimits)},
		{"PUT", "/api/notebooks/{id}/limits", "Replaces the notebook's own limits, from the next start of its runtime on.", may(access.Manage), nil, typed(200, s.setNotebookLimits)},
		{"GET", "/api/notebooks/{id}/trust", "Reports whether the notebook is trusted, and whether its programs run in a sandbox.", may(access.Read), nil, typed(200, s.notebookTrust)},
		{"PUT", "/api/notebooks/{id}/trust", "Sets whether the notebook is trusted, from the next start of its runtime on.", may(access.Manage), nil, typed(200, s.setNotebookTrust)},
		{"DELETE", "/api/notebooks/{id}/runtime", "Stops the runtime that takes code, and answers when it is gone.", may(access.Attach), nil, typed(204, s.stopRuntime)},
		{"POST", "/api/notebooks/{id}/runtime/limit", "Reports a limit that programs of the notebook's runtime have hit, for the server's log.", may(access.Execute), nil, typed(204, s.hitLimit)},
		{"POST", "/api/notebooks/{id}/runtime/restart", "Stops the runtime that takes code, if there is one, and launches another.", may(access.Run), nil, typed(204, s.restartRuntime)},
	}
}

// mayMiss returns an endpoint whose answer may be that there is none.
func mayMiss(e endpoint) endpoint {
	e.missing = true
	return e
}

// mux returns the handler of all routes. Its answer to another path or method says so.
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
