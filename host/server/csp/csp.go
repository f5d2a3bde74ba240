// Package csp has the headers that limit what browsers may do with the answers of the server:
// Content Security Policies above all, each for one kind of answer.
//
// It promises that an answer for which no policy is set may not be shown, embedded, sniffed or
// read by pages of other origins. Which answer gets which policy is left to its handler.
package csp

import (
	"net/http"
	"strings"

	"github.com/quirehq/quire/host/server/origin"
)

// The paths that policies name. Nothing else is served below them.
const (
	// AssetsPath has the scripts, styles and fonts of the page.
	AssetsPath = "/assets/"
	// FramePath is the page in which outputs are shown.
	FramePath = "/frame/"
	// ArtifactsPath has the links to artifacts.
	ArtifactsPath = "/artifacts/"
)

// SetDefaults sets the headers that every answer has. A handler that needs more replaces them.
func SetDefaults(h http.Header) {
	Set(h, Join("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// Set replaces the policy of an answer.
func Set(h http.Header, policy string) { h.Set("Content-Security-Policy", policy) }

// Join returns the policy of some directives.
func Join(directives ...string) string { return strings.Join(directives, "; ") }

// Page is the policy of the application's page: it may run its own scripts and the
// WebAssembly that they load, and connect to its own server. Styles may be inline, because
// the editor and formulas set the style attribute; the text of a notebook becomes a style only
// through the sanitiser. The only frame is that of outputs.
func Page(r *http.Request) string {
	return Join(
		"default-src 'none'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"style-src 'self' 'unsafe-inline'",
		"img-src 'self' data: blob:",
		"font-src 'self'",
		"media-src 'self' data: blob:",
		"connect-src 'self'", // the WebSocket of this host too
		"worker-src 'self'",
		"manifest-src 'self'",
		"frame-src "+origin.Of(r)+FramePath,
		"object-src 'none'",
		"form-action 'none'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types quire dompurify",
	)
}

// Worker is the policy of scripts: a worker has the policy of its own script, not that of the
// page that starts it.
func Worker() string {
	return Join(
		"default-src 'none'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"connect-src 'self'",
		"worker-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	)
}

// Output is the policy of the frame in which outputs are shown. They may run scripts, in an
// opaque origin without cookies and storage, and reach no network: they can load only the
// assets of the page, which hold no secret, and artifacts to which they have a link.
func Output(r *http.Request) string {
	assets, artifacts := origin.Of(r)+AssetsPath, origin.Of(r)+ArtifactsPath
	return Join(
		"sandbox allow-scripts",
		"default-src 'none'",
		"script-src 'unsafe-inline' 'unsafe-eval' "+assets+" blob: data:",
		"style-src 'unsafe-inline' "+assets,
		"img-src data: blob: "+artifacts,
		"font-src data: "+assets+" "+artifacts,
		"media-src data: blob: "+artifacts,
		"connect-src 'none'",
		"frame-src 'none'",
		"form-action 'none'",
		"base-uri 'none'",
		"frame-ancestors 'self'",
	)
}

// OutputConnections is the Connection-Allowlist of that frame. It closes, in browsers that know
// the header, the gaps of the policy: WebRTC, and names that are looked up or connected to
// before they are used.
func OutputConnections(r *http.Request) string {
	return `("` + origin.Of(r) + AssetsPath + `*" "` + origin.Of(r) + ArtifactsPath + `*"); webrtc=block`
}

// Artifact is the policy of bytes that a stranger may have made, in case a browser shows them.
func Artifact() string {
	return Join(
		"default-src 'none'",
		"sandbox",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	)
}

// Export is the policy of a notebook that is saved as a page, in case a browser shows it: it has
// an opaque origin, in which no script runs.
func Export() string {
	return Join(
		"sandbox",
		"default-src 'none'",
		"style-src 'unsafe-inline'",
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	)
}

// UnusedFeatures is the Permissions-Policy of the page and of outputs: the features of browsers
// that neither gets.
func UnusedFeatures() string {
	names := []string{
		"accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope",
		"hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment", "publickey-credentials-create",
		"publickey-credentials-get", "screen-wake-lock", "serial", "storage-access", "usb", "window-management", "xr-spatial-tracking",
	}
	return strings.Join(names, "=(), ") + "=()"
}
