package server

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// sniffed is how many bytes tell what content is.
const sniffed = 512

// kind is a type that an artifact may be served as: it can do no harm when it is
// what it says it is.
type kind struct {
	looks []string // what content of the type looks like to http.DetectContentType
	shown bool     // by a browser that is led to it, instead of saved
}

// Looks that more than one type have.
const (
	looksText    = "text/*"
	looksUnknown = typeBytes
)

// kindOf returns what is known of a type, and whether it may be served. What could
// run something, HTML and the many forms of XML first of all, may not. SVG is one of
// those: as an image it runs nothing, and so it may be, but never shown by itself.
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

// servedAs returns the type that content is served as, and whether a browser may show
// it. That is what was asked for if it can do no harm and the content looks like it.
// Without a wish it is what the content looks like, if that can do no harm.
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

// isText reports whether content looks like text of any kind. What a program prints
// may have controls, which no other text has.
func isText(look string, head []byte) bool {
	return strings.HasPrefix(look, "text/") || look == looksUnknown && isUTF8(head)
}

// isUTF8 reports whether content is, but for a letter that may be cut where more of it
// follows.
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
