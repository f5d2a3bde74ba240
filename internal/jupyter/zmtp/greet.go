package zmtp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// greetingSize is that of the first bytes which both peers send.
const greetingSize = 64

// greeting returns ours: the signature, version 3.0, and the mechanism NULL.
func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[8], g[9], g[10] = 0xFF, 1, 0x7F, 3
	copy(g[12:], "NULL")
	return g
}

// checkGreeting returns why the peer's greeting does not suit us.
func checkGreeting(g []byte) error {
	mechanism := string(bytes.TrimRight(g[12:32], "\x00"))
	switch {
	case g[0] != 0xFF || g[9] != 0x7F:
		return errors.New("it does not speak ZMTP")
	case g[10] < 3:
		return fmt.Errorf("it speaks version %d of ZMTP, and we need 3", g[10])
	case mechanism != "NULL":
		return fmt.Errorf("it wants the mechanism %q, and we have only NULL", mechanism)
	}
	return nil
}

// shakeHands exchanges greetings and the READY commands with the socket types.
func (c *Conn) shakeHands(cfg Config) error {
	ready := appendProperty(nil, "Socket-Type", string(cfg.Kind))
	if cfg.Identity != "" {
		ready = appendProperty(ready, "Identity", cfg.Identity)
	}
	if _, err := c.conn.Write(appendCommand(greeting(), "READY", ready)); err != nil {
		return err
	}
	g := make([]byte, greetingSize)
	if _, err := io.ReadFull(c.read.from, g); err != nil {
		return fmt.Errorf("it sends no greeting: %w", err)
	}
	if err := checkGreeting(g); err != nil {
		return err
	}
	peer, err := c.read.ready()
	if err == nil && !cfg.Kind.accepts(peer) {
		err = fmt.Errorf("it is a %s socket, which cannot talk to a %s", peer, cfg.Kind)
	}
	return err
}

// ready reads the peer's READY and returns its kind.
func (r *reader) ready() (kind string, err error) {
	h, err := r.header()
	if err != nil {
		return "", err
	}
	if h.flags&flagCommand == 0 {
		return "", errors.New("it sends a message before it is ready")
	}
	err = r.command(h, func(name string, body []byte) error {
		if name == "ERROR" {
			return fmt.Errorf("it says: %q", errorReason(body))
		}
		if name != "READY" {
			return fmt.Errorf("it says %q instead of READY", name)
		}
		kind, err = socketType(body)
		return err
	})
	return kind, err
}

// appendProperty appends a property of a READY.
func appendProperty(out []byte, name, value string) []byte {
	out = append(append(out, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(out, uint32(len(value))), value...)
}

// socketType finds the socket type among the properties of a peer.
func socketType(properties []byte) (string, error) {
	for len(properties) > 0 {
		name, rest, err := cutShort(properties)
		if err != nil || len(rest) < 4 {
			return "", errors.New("a property is cut off")
		}
		size := binary.BigEndian.Uint32(rest)
		if rest = rest[4:]; uint64(size) > uint64(len(rest)) {
			return "", fmt.Errorf("the property %q is cut off", name)
		}
		if strings.EqualFold(name, "Socket-Type") {
			return string(rest[:size]), nil
		}
		properties = rest[size:]
	}
	return "", errors.New("it does not say which kind of socket it is")
}

// errorReason reads the reason in an ERROR.
func errorReason(body []byte) string {
	reason, _, err := cutShort(body)
	if err != nil {
		return ""
	}
	return reason
}
