package datadir

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/quirehq/quire/core/access/proof"
	"github.com/quirehq/quire/internal/listen"
)

const (
	// proofTime bounds the time of a proof.
	proofTime = 10 * time.Second
	// maxProof bounds the bytes of a proof.
	maxProof = 4 << 10
	// idleConn bounds the time that a connection waits for another request.
	idleConn = 5 * time.Second
)

// ErrNotOurs reports that another program answers in place of the server of a data directory.
var ErrNotOurs = errors.New("another program has the port of the server")

// prover opens connections on which the server proves, before anything else is sent, that it has
// the private half of a key. A port can become another program's at any time, and a connection
// cannot.
type prover struct {
	key ed25519.PublicKey
	tls *tls.Config // nil without TLS
	net.Dialer
}

// open returns a connection on which the next request can be made.
func (p *prover) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if p.tls != nil {
		conn = tls.Client(conn, p.tls)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = p.check(conn, address)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, conn.SetDeadline(time.Time{})
}

// check asks the other side for a proof.
func (p *prover) check(conn net.Conn, address string) error {
	nonce := make([]byte, proof.NonceSize)
	_, _ = rand.Read(nonce) // it never fails
	if err := conn.SetDeadline(time.Now().Add(proofTime)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(conn, "GET /api/proof?nonce=%s HTTP/1.1\r\nHost: %s\r\n\r\n", base64.RawURLEncoding.EncodeToString(nonce), address)
	if err != nil {
		return err
	}
	r := bufio.NewReader(io.LimitReader(conn, maxProof))
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return fmt.Errorf("%w: it does not answer as one: %w", ErrNotOurs, err)
	}
	var answer struct {
		Signature Base64 `json:"signature"`
	}
	body, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil || resp.StatusCode != http.StatusOK || resp.Close || r.Buffered() > 0 || !proof.Verify(p.key, nonce, address, answer.Signature) {
		return ErrNotOurs
	}
	return nil
}

// Base64 are bytes in base64url without padding.
type Base64 []byte

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *Base64) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.DecodeString(string(text))
	return err
}

// MarshalText implements [encoding.TextMarshaler].
func (b Base64) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}

// Opener returns the function that opens connections to the server, nil for the usual one, for a
// server that is known by its URL alone.
func (r Running) Opener() func(context.Context, string, string) (net.Conn, error) {
	if r.Key == nil {
		return nil
	}
	p := &prover{key: ed25519.PublicKey(r.Key)}
	if r.Certificate != nil {
		p.tls = listen.Pinned(r.Certificate)
	}
	return p.open
}

// Transport returns the transport of HTTP requests to the server. A server of this machine is
// never behind a proxy.
func (r Running) Transport() http.RoundTripper {
	open := r.Opener()
	if open == nil {
		return http.DefaultTransport
	}
	return &http.Transport{DialContext: open, DialTLSContext: open, IdleConnTimeout: idleConn}
}

// HostOf returns the host and port of a server's URL.
func HostOf(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	return u.Host
}
