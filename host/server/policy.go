package server

import (
	"net/http"
	"strings"
)

// setPolicy replaces the policy that every answer has.
func setPolicy(h http.Header, policy string) { h.Set("Content-Security-Policy", policy) }

func policyOf(directives ...string) string { return strings.Join(directives, "; ") }

// originOf returns the origin that a request came to. The gate has seen that the
// Host header is a name of ours.
func originOf(r *http.Request) string {
	v := viaOf(r)
	return v.scheme + "://" + v.host
}

// pagePolicy is what the application's page may do: run its own scripts and the
// WebAssembly that they load, and talk to its own server. Styles may be inline, since
// the editor and formulas set the attribute; nothing that a notebook says becomes one
// but through the sanitiser. The only frame is that of outputs.
func pagePolicy(r *http.Request) string {
	return policyOf(
		"default-src 'none'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"style-src 'self' 'unsafe-inline'",
		"img-src 'self' data: blob:",
		"font-src 'self'",
		"media-src 'self' data: blob:",
		"connect-src 'self'", // the WebSocket of this host too
		"worker-src 'self'",
		"manifest-src 'self'",
		"frame-src "+originOf(r)+framePath,
		"object-src 'none'",
		"form-action 'none'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types quire dompurify",
	)
}

// workerPolicy is for scripts: a worker goes by the policy of its own script, not by
// that of the page which starts it.
func workerPolicy() string {
	return policyOf(
		"default-src 'none'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"connect-src 'self'",
		"worker-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	)
}

// outputPolicy is for the frame in which outputs are shown. They may run scripts, in
// an origin of their own that has no cookies and no storage, and reach no network:
// all that they can load is the assets of the page, which hold no secret, and what
// they were given a link to.
func outputPolicy(r *http.Request) string {
	assets, artifacts := originOf(r)+assetsPath, originOf(r)+artifactsPath
	return policyOf(
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

// outputConnections is what the policy above leaves open in browsers that know the
// header: WebRTC, and names that are looked up or connected to ahead of a use.
func outputConnections(r *http.Request) string {
	return `("` + originOf(r) + assetsPath + `*" "` + originOf(r) + artifactsPath + `*"); webrtc=block`
}

// artifactPolicy is for what strangers may have made, should a browser show it.
func artifactPolicy() string {
	return policyOf(
		"default-src 'none'",
		"sandbox",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	)
}

// unusedFeatures are abilities of browsers that neither the page nor outputs get.
func unusedFeatures() string {
	names := []string{
		"accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "geolocation", "gyroscope",
		"hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment", "publickey-credentials-create",
		"publickey-credentials-get", "screen-wake-lock", "serial", "storage-access", "usb", "window-management", "xr-spatial-tracking",
	}
	return strings.Join(names, "=(), ") + "=()"
}
