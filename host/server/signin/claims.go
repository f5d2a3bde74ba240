package signin

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

const (
	maxToken    = 2048 // bytes of a signed token
	tokenPrefix = "qt_"
)

// Claims are the content of a signed token: its principal, and the permissions that it gives.
type Claims struct {
	Kind event.ActorKind `json:"kind"` // person, runtime, assistant or key
	Name string          `json:"name"`
	// Notebook is the notebook that the token is good for, and Role the role there. The token of
	// a person may have neither: then it is good wherever the person has a role.
	Notebook string      `json:"notebook,omitempty"`
	Role     access.Role `json:"role,omitempty"`
	// Brings lets an editor connect runtimes of its own to the notebook.
	Brings  bool  `json:"brings,omitempty"`
	Expires int64 `json:"exp,omitempty"` // seconds since 1970; 0 for never
	// Issued is the time at which the token of a runtime was made. It tells a runtime that was
	// displaced since; 0 if that does not matter.
	Issued event.Time `json:"iat,omitempty"`
	// Unique distinguishes tokens that have otherwise equal claims.
	Unique string `json:"jti,omitempty"`
}

// errToken says that a token was not signed by this server, errExpired that it was and has ended.
var (
	errToken   = errors.New("the token is not valid")
	errExpired = errors.New("the token has expired; make a new one")
)

// Check refuses claims that no token may have.
func (c Claims) Check() error {
	if err := event.CheckName("name", c.Name); err != nil {
		return err
	}
	switch {
	case c.Brings && (c.Kind != event.ActorKey || c.Role != access.Editor):
		return errors.New("only the role editor may connect runtimes")
	case c.Kind == event.ActorPerson && c.Notebook == "" && c.Role == "":
		return nil
	case c.Notebook == "" || !c.Role.Valid():
		return fmt.Errorf("a %s needs a notebook and a role there", c.Kind)
	case c.Kind == event.ActorRuntime && c.Role == access.Runtime, c.Kind == event.ActorAssistant && c.Role == access.Assistant:
		return nil
	case (c.Kind == event.ActorKey || c.Kind == event.ActorPerson) && !c.Role.Serves():
		return nil
	}
	return fmt.Errorf("a %s cannot be %s", c.Kind, c.Role)
}

// Sign returns a token with the claims: qt_, the claims in JSON, a dot, and their HMAC, the two
// in base64.
func Sign(secret []byte, c Claims) (string, error) {
	if err := c.Check(); err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	data, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	claims := base64.RawURLEncoding.EncodeToString(data)
	return tokenPrefix + claims + "." + base64.RawURLEncoding.EncodeToString(mac(secret, claims)), nil
}

// verify returns the claims of a token that was signed with the secret and is still good.
func verify(secret []byte, token string, now time.Time) (Claims, error) {
	claims, signature, ok := strings.Cut(strings.TrimPrefix(token, tokenPrefix), ".")
	if !ok || len(token) > maxToken {
		return Claims{}, errToken
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	if err != nil || !hmac.Equal(got, mac(secret, claims)) {
		return Claims{}, errToken
	}
	data, err := base64.RawURLEncoding.DecodeString(claims)
	if err != nil {
		return Claims{}, errToken
	}
	var c Claims
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields() // a newer server's restriction must not be overlooked
	if dec.Decode(&c) != nil || c.Check() != nil {
		return Claims{}, errToken
	}
	if c.Expires != 0 && now.Unix() >= c.Expires {
		return Claims{}, errExpired
	}
	return c, nil
}

// mac binds the claims to their purpose, so that the secret may sign other things.
func mac(secret []byte, claims string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("quire token\x00" + claims))
	return h.Sum(nil)
}
