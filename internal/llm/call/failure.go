package call

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/core/assist"
)

// maxWords bounds what a failure repeats of a response, in bytes.
const maxWords = 600

// Failure returns the reason why a call failed, from what its SDK returned: a *[assist.ModelError], or the cause of the
// caller's context.
func (c *Call) Failure(err error) error {
	if c.caller.Err() != nil {
		return context.Cause(c.caller)
	}
	if c.fault != nil {
		return c.fault
	}
	if f, ok := errors.AsType[*assist.ModelError](err); ok {
		return f
	}
	if !c.answered {
		return c.fail(assist.FailedRequest, 0, err.Error()) // the SDK did not send it
	}
	return c.fail(assist.FailedMalformed, 0, "a part of the answer is not in the form that is expected: check the kind and the URL of the provider")
}

// Incomplete returns the failure of a response that ended before its last message.
func (c *Call) Incomplete() error {
	return c.Failure(c.service.words(assist.FailedUnreachable, 0, "the service ended its answer before it was complete"))
}

// Reported returns the failure that a service reports within a stream, as JSON.
func (c *Call) Reported(report []byte) error {
	return c.Failure(c.service.failure(parseReport(report), 0))
}

// fail ends the call with a failure.
func (c *Call) fail(kind assist.FailureKind, status int, text string) error {
	c.fault = c.service.words(kind, status, text)
	return c.fault
}

// broken returns the failure of a connection.
func (c *Call) broken(err error) error {
	if c.caller.Err() != nil {
		return context.Cause(c.caller)
	}
	if errors.Is(context.Cause(c.Context), errSilent) {
		return c.fail(assist.FailedUnreachable, 0, fmt.Sprintf("the service sent nothing for %v", c.service.config.Silence))
	}
	return c.fail(assist.FailedUnreachable, 0, c.service.reach(err))
}

// reach says in words for people why a connection failed.
func (s *Service) reach(err error) string {
	host := s.base.Host
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return "there is no host " + s.base.Hostname() + ": check the URL of the provider"
	}
	if wrong, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate of " + host + " is not trusted: " + wrong.Err.Error()
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return host + " does not speak TLS: check the URL of the provider"
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return host + " does not answer"
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return "no server is reached at " + host + ": " + innermost(op).Error()
	}
	return "the connection to " + host + " broke"
}

// innermost returns the error at the end of a chain.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// words returns a failure with a text, in which the key is removed.
func (s *Service) words(kind assist.FailureKind, status int, text string) *assist.ModelError {
	if s.secret != nil {
		text, _ = s.secret.Clean(text)
	}
	if len(text) > maxWords {
		cut := maxWords
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return &assist.ModelError{Kind: kind, Provider: s.config.Provider, Status: status, Err: errors.New(text)}
}

// failure returns the failure of a report.
func (s *Service) failure(r report, status int) *assist.ModelError {
	return s.words(r.kind(status), status, cmp.Or(r.message, r.code, http.StatusText(status), "the service reports an error without words"))
}

// report is what a service says about a failure.
type report struct {
	code    string // the most exact name of the failure that a program can compare
	message string
}

// parseReport reads the report in a response. Services have it in several forms:
//
//	{"error": {"message": "…", "type": "…", "code": "…"}}             OpenAI, Groq, vLLM, llama.cpp
//	{"type": "error", "error": {"type": "…", "message": "…"}}         Anthropic
//	{"error": "…"}                                                    Ollama, LM Studio
//	{"message": "…", "type": "…", "code": "…"}, {"detail": "…"}       Mistral, and servers made with FastAPI
func parseReport(text []byte) report {
	text = []byte(strings.TrimSpace(string(text)))
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil && len(list) > 0 { // as the OpenAI-compatible side of Gemini has it
		text = list[0]
	}
	var outer struct {
		Error, Detail json.RawMessage
		fields
	}
	if json.Unmarshal(text, &outer) != nil {
		return report{message: plain(string(text))}
	}
	var inner fields
	if json.Unmarshal(outer.Error, &inner) == nil && inner != (fields{}) {
		return inner.report()
	}
	var words string
	for _, raw := range []json.RawMessage{outer.Error, outer.Detail} {
		if json.Unmarshal(raw, &words) == nil && words != "" {
			return report{outer.report().code, words}
		}
	}
	if outer.fields == (fields{}) && len(outer.Detail) > 0 {
		return report{message: string(outer.Detail)}
	}
	return outer.report()
}

// fields are the members of a report that have text.
type fields struct {
	Message, Type, Code textField
}

func (f fields) report() report {
	code := string(f.Code)
	if kinds[code] == "" && f.Type != "" {
		code = string(f.Type)
	}
	return report{code, string(f.Message)}
}

// textField is a text, and empty for a value of another type: the code of some services is a number or null.
type textField string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *textField) UnmarshalJSON(data []byte) error {
	var s string
	_ = json.Unmarshal(data, &s) // s stays empty
	*t = textField(s)
	return nil
}

// plain returns a text for people, and nothing of HTML.
func plain(text string) string {
	if strings.HasPrefix(text, "<") {
		return ""
	}
	return strings.Join(strings.Fields(text), " ")
}

// kinds has the failures that services name.
var kinds = map[string]assist.FailureKind{
	// https://platform.openai.com/docs/guides/error-codes
	"insufficient_quota":      assist.FailedQuota,
	"context_length_exceeded": assist.FailedLength,
	"model_not_found":         assist.FailedModel,
	"invalid_api_key":         assist.FailedKey,
	"rate_limit_exceeded":     assist.FailedRate,
	"server_error":            assist.FailedOverloaded,
	// https://docs.anthropic.com/en/api/errors
	"authentication_error": assist.FailedKey,
	"permission_error":     assist.FailedKey,
	"billing_error":        assist.FailedQuota,
	"not_found_error":      assist.FailedModel,
	"request_too_large":    assist.FailedLength,
	"rate_limit_error":     assist.FailedRate,
	"api_error":            assist.FailedOverloaded,
	"timeout_error":        assist.FailedOverloaded,
	"overloaded_error":     assist.FailedOverloaded,
	// https://github.com/ggml-org/llama.cpp/tree/master/tools/server
	"exceed_context_size_error": assist.FailedLength,
	"unavailable_error":         assist.FailedOverloaded,
	// https://console.groq.com/docs/errors
	"model_decommissioned": assist.FailedModel,
}

// tooLong are the words by which services refuse a long conversation that give this failure no name: Anthropic, vLLM,
// Ollama.
var tooLong = []string{"prompt is too long", "maximum context length", "exceed context limit", "exceeds the context length"}

// noModel are the words by which Ollama says that its library does not have a model.
const noModel = "pull model manifest: file does not exist"

func (r report) kind(status int) assist.FailureKind {
	if kind, ok := kinds[r.code]; ok {
		return kind
	}
	if strings.HasSuffix(r.message, noModel) {
		return assist.FailedModel
	}
	for _, words := range tooLong {
		if status/100 != 5 && strings.Contains(r.message, words) {
			return assist.FailedLength
		}
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return assist.FailedKey
	case status == http.StatusPaymentRequired:
		return assist.FailedQuota
	case status == http.StatusNotFound:
		return assist.FailedModel
	case status == http.StatusRequestEntityTooLarge:
		return assist.FailedLength
	case status == http.StatusTooManyRequests:
		return assist.FailedRate
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == 0:
		return assist.FailedOverloaded
	}
	return assist.FailedRequest
}

// retryAfter returns the time that a response asks to wait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil { // of OpenAI, more exact
		return seconds(ms / 1000)
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// seconds returns a time within a day.
func seconds(s float64) time.Duration {
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, 86400) * float64(time.Second))
}
