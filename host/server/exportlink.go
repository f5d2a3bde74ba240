package server

import (
	"net/http"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// exportsPath is the path of links to exports. Nothing else is served below it.
const exportsPath = "/exports/"

// A link to an export stands for the half of a sign-in that a browser does not send when a user
// opens a link of the page in another tab. It is good only in the browser that requested it, and
// only while that is signed in.

// NewExportLink requests a link to an export.
type NewExportLink struct {
	Format string `json:"format,omitempty" jsonschema:"ipynb (the default), py, md, html, or the file ending of another language"`
}

// ExportLink is a link by which the browser that requested it can save a notebook as a file.
type ExportLink struct {
	URL     string    `json:"url" jsonschema:"a path on this server"`
	Expires time.Time `json:"expires"`
}

// exported is the content of a link to an export.
type exported struct {
	Notebook string `json:"n"`
	Format   string `json:"f,omitempty"`
	Expires  int64  `json:"e"`
}

func (e exported) until() int64 { return e.Expires }

// forExport is the purpose that the links of a sign-in to exports are signed for.
func forExport(cookie *http.Cookie) string { return "export\x00" + cookie.Value }

func (s *Server) linkExport(c *call, in NewExportLink) (ExportLink, error) {
	cookie, err := s.signin.Cookie(c.r)
	if err != nil || !c.who.Cookie {
		return ExportLink{}, problem.New(protocol.CodeInvalid, "a link to an export is for a browser that is signed in: with a token, ask for the export itself")
	}
	if _, err := s.format(in.Format, false); in.Format != "" && err != nil {
		return ExportLink{}, err
	}
	e := exported{Notebook: c.book.ID, Format: in.Format, Expires: s.cfg.Now().Add(s.cfg.Limits.Link).Unix()}
	link, err := signLink(s.cfg.Signer, forExport(cookie), e)
	return ExportLink{URL: exportsPath + link, Expires: time.Unix(e.Expires, 0).UTC()}, err
}

// permitExport refuses a link to an export that is not good for the browser. If it is good, it sets
// the notebook and the format of the link as values of the path.
func (s *Server) permitExport(c *call, n need) error {
	cookie, err := s.signin.Cookie(c.r)
	if err != nil {
		return problem.New(protocol.CodeForbidden, "the link is for the browser that it was made for")
	}
	e, err := readLink[exported](s.cfg.Signer, forExport(cookie), c.r.PathValue("link"), s.cfg.Now())
	if err != nil {
		return err
	}
	if c.who, err = s.signin.ByCookie(cookie); err != nil {
		return problem.New(problem.Unauthenticated, err.Error())
	}
	c.r.SetPathValue("id", e.Notebook)
	c.r.SetPathValue("format", e.Format)
	return s.permitNotebook(c, n)
}
