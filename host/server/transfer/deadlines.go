// Package transfer has what uploads and downloads share: deadlines that move while bytes pass,
// and the names of files.
//
// It promises that a large body may take as long as it makes progress, and that a name which
// a stranger gave to a file is that of one file in the folder of the user who saves it.
package transfer

import (
	"errors"
	"net/http"
	"time"
)

// Patience is the time that a request, or its answer, may take without progress.
const Patience = 5 * time.Minute

// farewell is the time that an answer to a client which was cut off may take.
const farewell = 10 * time.Second

// Deadlines are the deadlines of the connection of a request. They move while bytes pass: a
// large body takes longer than [Patience].
type Deadlines struct{ conn *http.ResponseController }

// DeadlinesOf returns the deadlines of the connection of an answer.
func DeadlinesOf(w http.ResponseWriter) Deadlines { return Deadlines{http.NewResponseController(w)} }

// Extend moves the deadlines to the end of a new [Patience].
func (d Deadlines) Extend() {
	at := time.Now().Add(Patience)
	// The deadline of the other direction moves too: the HTTP server checks both until the end,
	// and a client that stops sending is still told so. A writer without a connection has no
	// deadlines, and nothing to cut off.
	_ = errors.Join(d.conn.SetReadDeadline(at), d.conn.SetWriteDeadline(at.Add(farewell)))
}
