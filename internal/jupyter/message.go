package jupyter

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// The protocol of messages is 5.x: jupyter-client.readthedocs.io/en/stable/messaging.html.
const protocol = "5.3"

// header identifies a message.
type header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is a message of the kernel.
type message struct {
	channel  channel
	header   header
	parent   header // of the request that it answers
	metadata json.RawMessage
	content  json.RawMessage
	buffers  [][]byte
	size     int // in bytes
}

// decode reads the content. Missing and invalid fields are zero.
func (m *message) decode(content any) { _ = unmarshal(m.content, content) }

// delimiter separates the routing prefix from the signature.
var delimiter = []byte("<IDS|MSG>")

// maxRemembered bounds the signatures that are kept to detect replayed messages.
const maxRemembered = 4096

// signer signs and verifies the messages of one connection, and numbers those that are sent.
type signer struct {
	session string
	key     []byte

	mu     sync.Mutex
	sent   uint64
	seen   map[[sha256.Size]byte]bool
	recent [][sha256.Size]byte // ring of the keys of seen; the oldest is at oldest once it is full
	oldest int
}

func newSigner(key string) *signer {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // it never fails
	return &signer{session: hex.EncodeToString(id), key: []byte(key), seen: map[[sha256.Size]byte]bool{}}
}

// seal returns the parts of a new message, and its id.
func (s *signer) seal(kind string, parent *header, content any) (parts [][]byte, id string, err error) {
	s.mu.Lock()
	s.sent++
	id = s.session + "_" + strconv.FormatUint(s.sent, 10)
	s.mu.Unlock()
	head, err := json.Marshal(header{
		ID: id, Session: s.session, Username: "quire", Date: time.Now().UTC().Format(time.RFC3339Nano),
		Type: kind, Version: protocol,
	})
	if err != nil {
		return nil, "", err
	}
	parentHead := []byte("{}")
	if parent != nil {
		if parentHead, err = json.Marshal(parent); err != nil {
			return nil, "", err
		}
	}
	body, err := json.Marshal(content)
	if err != nil {
		return nil, "", fmt.Errorf("encode a %s: %w", kind, err)
	}
	signed := [][]byte{head, parentHead, []byte("{}"), body}
	sum := s.sum(signed)
	return append([][]byte{delimiter, []byte(hex.EncodeToString(sum[:]))}, signed...), id, nil
}

func (s *signer) sum(parts [][]byte) (sum [sha256.Size]byte) {
	mac := hmac.New(sha256.New, s.key)
	for _, part := range parts {
		mac.Write(part)
	}
	mac.Sum(sum[:0])
	return sum
}

var (
	errForged   = errors.New("a message is not signed with the key of the connection")
	errRepeated = errors.New("a message was sent twice")
	errParts    = errors.New("a message has not the parts that it must have")
)

// open verifies and decodes a message that came on a channel.
func (s *signer) open(ch channel, parts [][]byte) (*message, error) {
	start := slices.IndexFunc(parts, func(part []byte) bool { return bytes.Equal(part, delimiter) })
	if start < 0 || len(parts) < start+6 {
		return nil, errParts
	}
	signature, signed := parts[start+1], parts[start+2:start+6]
	sum := s.sum(signed)
	var given [sha256.Size]byte
	if n, err := hex.Decode(given[:], signature[:min(len(signature), 2*sha256.Size)]); err != nil || n != len(given) ||
		len(signature) != 2*sha256.Size || !hmac.Equal(given[:], sum[:]) {
		return nil, errForged
	}
	if !s.isNew(sum) {
		return nil, errRepeated
	}
	m := &message{channel: ch, metadata: signed[2], content: signed[3], buffers: parts[start+6:]}
	for _, part := range parts {
		m.size += len(part)
	}
	if err := json.Unmarshal(signed[0], &m.header); err != nil {
		return nil, fmt.Errorf("the header of a message: %w", err)
	}
	if err := json.Unmarshal(signed[1], &m.parent); err != nil {
		return nil, fmt.Errorf("the parent of a message: %w", err)
	}
	return m, nil
}

// isNew remembers a signature, and reports whether it was new.
func (s *signer) isNew(sum [sha256.Size]byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[sum] {
		return false
	}
	if len(s.recent) < maxRemembered {
		s.recent = append(s.recent, sum)
	} else {
		delete(s.seen, s.recent[s.oldest])
		s.recent[s.oldest] = sum
		s.oldest = (s.oldest + 1) % maxRemembered
	}
	s.seen[sum] = true
	return true
}
