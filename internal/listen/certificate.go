package listen

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/internal/file"
)

// Certificate is a certificate in files, with its key.
type Certificate struct {
	cert, key string // the files
	now       func() time.Time
	current   atomic.Pointer[tls.Certificate]

	mu   sync.Mutex
	seen [2]stamp // of the files at the last read
}

// stamp is the attributes by which a change of a file is detected.
type stamp struct {
	size int64
	at   time.Time
}

// Load reads a certificate and its key, which must match and be valid at the time.
func Load(cert, key string, now func() time.Time) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, now: now}
	_, err := c.Reload(true)
	return c, err
}

// Reload reads the files if they have changed since the last read, or always, and reports whether
// the certificate is another one. After an error the previous one stays.
func (c *Certificate) Reload(always bool) (changed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := [2]stamp{stampOf(c.cert), stampOf(c.key)}
	if !always && seen == c.seen {
		return false, nil
	}
	c.seen = seen
	pair, err := c.load()
	if err != nil {
		return false, err
	}
	if err := c.check(pair.Leaf); err != nil {
		return false, fmt.Errorf("certificate %s: %w", c.cert, err)
	}
	before := c.current.Swap(&pair)
	return before == nil || !pair.Leaf.Equal(before.Leaf), nil
}

// load reads the files.
func (c *Certificate) load() (tls.Certificate, error) {
	cert, err := os.ReadFile(c.cert)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the certificate %s: %w", c.cert, file.Reason(c.cert, err))
	}
	key, err := os.ReadFile(c.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read the key %s: %w", c.key, file.Reason(c.key, err))
	}
	switch {
	case !hasPEM(cert):
		return tls.Certificate{}, fmt.Errorf("certificate %s: the file has no certificate in PEM", c.cert)
	case !hasPEM(key):
		return tls.Certificate{}, fmt.Errorf("key %s: the file has no key in PEM", c.key)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		err = fmt.Errorf("certificate %s and key %s do not go together: %s", c.cert, c.key, strings.TrimPrefix(err.Error(), "tls: "))
	}
	return pair, err
}

func hasPEM(data []byte) bool {
	block, _ := pem.Decode(data)
	return block != nil
}

func (c *Certificate) check(leaf *x509.Certificate) error {
	switch now := c.now(); {
	case leaf == nil:
		return errors.New("the file has no certificate")
	case now.After(leaf.NotAfter):
		return fmt.Errorf("it ended on %s", leaf.NotAfter.Format(time.DateTime))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("it begins on %s", leaf.NotBefore.Format(time.DateTime))
	}
	return nil
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{size: info.Size(), at: info.ModTime()}
}

// Ends returns the end of the certificate's validity.
func (c *Certificate) Ends() time.Time { return c.current.Load().Leaf.NotAfter }

// Digest returns a hash that identifies the certificate.
func (c *Certificate) Digest() []byte { return digest(c.current.Load().Leaf) }

func digest(leaf *x509.Certificate) []byte {
	sum := sha256.Sum256(leaf.Raw)
	return sum[:]
}

func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

// Pinned returns the settings of a client that identifies a server by the digest of its
// certificate, with any name and signer.
func Pinned(sum []byte) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"},
		InsecureSkipVerify: true, // replaced by the check below
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || string(digest(s.PeerCertificates[0])) != string(sum) {
				return errors.New("its certificate is not that of the server")
			}
			return nil
		},
	}
}
