package server_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/host/server"
)

// closed are the headers of an answer that is no page: it may not be embedded, cached or read.
func closed() map[string]string {
	return map[string]string{
		"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
		"Cache-Control":                "no-store",
		"Access-Control-Allow-Origin":  "",
		"Permissions-Policy":           "",
		"Connection-Allowlist":         "",
	}
}

// with returns the headers of closed with some in place of theirs.
func with(more map[string]string) map[string]string {
	all := closed()
	maps.Copy(all, more)
	return all
}

const noFeatures = "accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), " +
	"hid=(), idle-detection=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-create=(), " +
	"publickey-credentials-get=(), screen-wake-lock=(), serial=(), storage-access=(), usb=(), window-management=(), xr-spatial-tracking=()"

// headersOf returns the headers that a permitted answer must have.
func headersOf(route server.Pattern, url string) map[string]string {
	switch route.Path {
	case "/{$}", "/nb/{id}", "/nb/{id}/{slug...}", "/shell":
		return with(map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
				"img-src 'self' data: blob:; font-src 'self'; media-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; " +
				"manifest-src 'self'; frame-src " + url + "/frame/; object-src 'none'; form-action 'none'; base-uri 'none'; " +
				"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types quire dompurify",
			"Cache-Control": "no-cache", "Permissions-Policy": noFeatures,
		})
	case "/frame/{$}":
		return with(map[string]string{
			"Content-Security-Policy": "sandbox allow-scripts; default-src 'none'; " +
				"script-src 'unsafe-inline' 'unsafe-eval' " + url + "/assets/ blob: data:; style-src 'unsafe-inline' " + url + "/assets/; " +
				"img-src data: blob: " + url + "/artifacts/; font-src data: " + url + "/assets/ " + url + "/artifacts/; " +
				"media-src data: blob: " + url + "/artifacts/; connect-src 'none'; frame-src 'none'; " +
				"form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
			"Connection-Allowlist": `("` + url + `/assets/*" "` + url + `/artifacts/*"); webrtc=block`,
			"Cache-Control":        "no-cache", "Permissions-Policy": noFeatures, "X-DNS-Prefetch-Control": "off",
		})
	case "/assets/{path...}":
		return with(map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; " +
				"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Cache-Control": "public, max-age=31536000, immutable", "Permissions-Policy": noFeatures,
			"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin",
		})
	case "/{file}":
		return with(map[string]string{"Cache-Control": "no-cache", "Permissions-Policy": noFeatures})
	case "/login":
		return signInHeaders()
	case "/logout":
		return with(map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'sha256-STYLE'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
				"script-src 'sha256-SCRIPT'; connect-src 'self'; worker-src 'self'",
		})
	}
	return closed()
}

func signInHeaders() map[string]string {
	return with(map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'sha256-STYLE'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	})
}

func checkHeaders(t *testing.T, name string, a answer, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for header := range want {
		got[header] = strings.Join(a.header.Values(header), " and ")
	}
	if _, rest, ok := strings.Cut(got["Content-Security-Policy"], "'sha256-"); ok {
		hash, _, _ := strings.Cut(rest, "'")
		got["Content-Security-Policy"] = strings.Replace(got["Content-Security-Policy"], hash, "STYLE", 1)
		if _, rest, ok = strings.Cut(rest, "'sha256-"); ok {
			hash, _, _ = strings.Cut(rest, "'")
			got["Content-Security-Policy"] = strings.Replace(got["Content-Security-Policy"], hash, "SCRIPT", 1)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: got %d and headers (-want +got):\n%s", name, a.status, diff)
	}
	if a.header.Get("Set-Cookie") != "" {
		t.Errorf("%s: got a cookie, want none", name)
	}
}

func TestAC42EveryAnswerHasTheHeadersThatKeepBrowsersOut(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for _, route := range w.Routes() {
		name := route.Method + " " + route.Path
		a := w.do(t, requestFor(t, route, "server", "b1", permissions[route].body))
		checkHeaders(t, name, a, headersOf(route, w.url))

		want := headersOf(route, w.url)
		if strings.HasPrefix(route.Path, "/nb/") || route.Path == "/{$}" {
			want = signInHeaders()
		}
		checkHeaders(t, name+" by nobody", w.do(t, requestFor(t, route, "none", "b1", "")), want)
	}
	checkHeaders(t, "nothing", w.do(t, request{method: "GET", path: "/a/<script>alert(1)</script>"}), closed())
	checkHeaders(t, "no file", w.do(t, request{method: "GET", path: "/<script>alert(1)</script>"}), closed())
	for _, path := range []string{"/", "/assets/index-1.js", "/frame/", "/icon.svg"} {
		foreign := w.do(t, request{method: "GET", path: path, header: map[string]string{"Host": "evil"}}).want(t, 421)
		checkHeaders(t, path+" of another host", foreign, closed())
	}
}

func TestAC43AMissingAssetIsNotOpenToOthers(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/assets/none.js", "/assets/"} {
		checkHeaders(t, path, w.do(t, request{method: "GET", path: path}).want(t, 404), closed())
	}
}

func TestAC41ThePoliciesNameTheHostThatWasAskedFor(t *testing.T) {
	w := newWorld(t, func(c *server.Config) { c.Hosts = []string{"quire.example.org"} })
	for _, path := range []string{"/", "/frame/"} {
		a := w.do(t, request{method: "GET", path: path, token: ownerToken, header: map[string]string{"Host": "quire.example.org"}}).want(t, 200)
		if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, " http://quire.example.org/") || strings.Contains(policy, "127.0.0.1") {
			t.Errorf("%s: got %q, want the name in it", path, policy)
		}
	}
}
