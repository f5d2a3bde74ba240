package artifacts

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// sniffed is the number of bytes from which the type of content is detected.
const sniffed = 512

// kind is a type that an artifact may be served as: content that really has the type can do no
// harm.
type kind struct {
	looks []string // the types that http.DetectContentType may find in such content
	shown bool     // by a browser that opens it, instead of saved
}

// typeBytes is the type of bytes of which nothing is known.
const typeBytes = "application/octet-stream"

// Looks that several types have.
const (
	looksText    = "text/*"
	looksUnknown = typeBytes
)

// kindOf returns the kind of a type, and whether it may be served. Types that could run
// something, HTML and the many forms of XML first of all, may not. SVG is the exception: as an
// image it runs nothing, so that it may be served, but it is never shown by itself.
func kindOf(name string) (k kind, ok bool) {
	switch name {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon", "video/mp4", "video/webm":
		return kind{[]string{name}, true}, true
	case "image/avif", "audio/flac", "audio/aac":
		return kind{[]string{looksUnknown}, true}, true
	case "audio/mpeg":
		return kind{[]string{name, looksUnknown}, true}, true
	case "audio/wav", "audio/wave", "audio/x-wav":
		return kind{[]string{"audio/wave"}, true}, true
	case "audio/ogg", "video/ogg":
		return kind{[]string{"application/ogg"}, true}, true
	case "audio/webm":
		return kind{[]string{"video/webm"}, true}, true
	case "audio/mp4":
		return kind{[]string{"video/mp4", looksUnknown}, true}, true
	case "text/plain":
		return kind{[]string{looksText}, true}, true
	case "text/csv", "text/tab-separated-values", "text/markdown", "application/json", "image/svg+xml":
		return kind{[]string{looksText}, false}, true
	case "application/pdf", "application/zip", "font/ttf", "font/otf", "font/woff", "font/woff2":
		return kind{[]string{name}, false}, true
	case "application/gzip":
		return kind{[]string{"application/x-gzip"}, false}, true
	}
	return kind{}, false
}

// servedAs returns the type that content is served as, and whether a browser may show it: the
// type that was asked for, if it can do no harm and the content looks like it. If none was
// asked for, the detected type counts, if it can do no harm.
func servedAs(asked string, head []byte) (name string, shown bool) {
	look, params, _ := mime.ParseMediaType(http.DetectContentType(head))
	name, _, err := mime.ParseMediaType(asked)
	if asked == "" {
		name = look
	} else if err != nil {
		return typeBytes, false
	}
	k, ok := kindOf(name)
	if !ok || !slices.Contains(k.looks, look) && !(slices.Contains(k.looks, looksText) && isText(look, head)) {
		return typeBytes, false
	}
	if strings.HasPrefix(name, "text/") {
		charset := params["charset"]
		if charset == "" {
			charset = "utf-8"
		}
		name += "; charset=" + charset
	}
	return name, k.shown
}

// isText reports whether content looks like text of any kind. The output of a program may have
// control characters, which no other text has.
func isText(look string, head []byte) bool {
	return strings.HasPrefix(look, "text/") || look == looksUnknown && isUTF8(head)
}

// isUTF8 reports whether content is UTF-8. Its last character may be cut if more follows.
func isUTF8(head []byte) bool {
	for cut := range utf8.UTFMax {
		if utf8.Valid(head[:len(head)-cut]) {
			return true
		}
		if len(head) < sniffed {
			return false
		}
	}
	return false
}
