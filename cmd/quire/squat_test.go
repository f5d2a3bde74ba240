package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
)

// scriptSquat takes the port of a server that was killed, answers everything that comes
// there with success, and writes it into a file: "squat FILE". It returns once the first
// request is there, which is of the runtime.
func scriptSquat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: squat FILE, after a server was killed")
	}
	var was datadir.Running
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join("data", datadir.ServerFile))), &was))
	listener, err := net.Listen("tcp", datadir.HostOf(was.URL))
	ts.Check(err)
	heard, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	asked := make(chan struct{})
	first := sync.OnceFunc(func() { close(asked) })
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				squat(conn, heard)
				first()
			})
		}
	})
	ts.Defer(func() {
		_ = listener.Close()
		serving.Wait()
		_ = heard.Close()
	})
	<-asked
}

// squat answers what comes on a connection as a server would that takes everything.
func squat(conn net.Conn, heard *os.File) {
	for r := bufio.NewReader(conn); ; {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		text, err := httputil.DumpRequest(req, true)
		if err != nil {
			return
		}
		_, _ = heard.Write(text)
		body := `{"signature":"AAAA","version":"dev","actor":"person:owner","notebooks":[],"url":"http://x"}`
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
}
