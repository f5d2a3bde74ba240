package terminal

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
)

// Unreached returns the reason, in words, why a server was not reached or broke off, or the
// message of err if it has no words for it.
func Unreached(err error) string {
	var name *net.DNSError
	var plain tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return fmt.Sprintf("there is no host %s", name.Name)
	case errors.As(err, &name):
		return fmt.Sprintf("the name %s cannot be looked up now", name.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "the network has no way to it"
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &plain):
		return "it does not speak TLS: an address with http:// may be meant"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "it does not answer in time"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection without an answer"
	}
	if reason := untrustedReason(err); reason != "" {
		return reason
	}
	var request *url.Error
	var op *net.OpError
	if errors.As(err, &request) && !errors.As(err, &op) {
		return "it gives no answer that can be read"
	}
	return Bare(err)
}

// untrustedReason returns the reason why the certificate of a server is refused, empty if it is
// not.
func untrustedReason(err error) string {
	var signer x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &signer):
		return "this machine does not trust who signed its certificate"
	case errors.As(err, &host):
		return "its certificate is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired, or is not valid yet"
	case errors.As(err, &invalid):
		return "its certificate is not valid"
	}
	return ""
}

// Bare is an error without the operation and the addresses that it came from.
func Bare(err error) string {
	var about *url.Error
	if errors.As(err, &about) {
		err = about.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return err.Error()
}
