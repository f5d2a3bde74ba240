package server

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// lingerTime is how long a connection stays open for the rest of a body whose request is
// answered: a client that is cut off while it sends may never read the answer.
const lingerTime = time.Second

// arrivingBody is the body of a request, which knows whether all of it was read.
type arrivingBody struct {
	io.ReadCloser
	ended atomic.Bool
}

// arriving returns the body of a request for which the library would have the answer wait, nil
// if there is none. It waits for none in HTTP/2.
func arriving(r *http.Request) *arrivingBody {
	if r.ProtoMajor != 1 || r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	return &arrivingBody{ReadCloser: r.Body}
}

// Read reads a part of the body.
func (b *arrivingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended.Store(true)
	}
	return n, err
}

// leave has the answer sent at once, which ends the connection: else the library would first read
// the rest of the body, for as long as a request may be on its way.
func (b *arrivingBody) leave(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(lingerTime)) // a writer that knows no deadlines has no connection
}
