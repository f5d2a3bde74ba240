package server

import (
	"encoding/base64"

	"github.com/quirehq/quire/core/access/proof"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// proofPath is the path at which a program requests a proof before it shows a credential.
const proofPath = "/api/proof"

// Proof proves to a program that knows the server's key that it has reached this server.
type Proof struct {
	Signature string `json:"signature" jsonschema:"of the nonce and the server's address, by the key in its data directory"`
}

// prove signs the nonce of a program together with the address of this server. The proof reveals
// only that a server is here.
func (s *Server) prove(c *call, _ none) (Proof, error) {
	nonce, err := base64.RawURLEncoding.DecodeString(c.r.FormValue("nonce"))
	if err != nil || len(nonce) != proof.NonceSize {
		return Proof{}, problem.New(protocol.CodeInvalid, "nonce must be 32 random bytes in base64url without padding")
	}
	signature := proof.Sign(s.cfg.Identity, nonce, s.cfg.Address)
	return Proof{Signature: base64.RawURLEncoding.EncodeToString(signature)}, nil
}
