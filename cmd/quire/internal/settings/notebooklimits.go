package settings

import (
	"cmp"
	"fmt"

	"github.com/quirehq/quire/host/server"
)

// None removes a limit of a notebook.
const None = "none"

// Limit is a limit of a notebook beside that of the server, as texts.
type Limit struct {
	Name      string
	Own, Most string // empty for none
	Holds     string // the one that counts
}

// LimitsOf returns the limits of a notebook, in the order of the table.
func LimitsOf(own, most server.LimitValues) []Limit {
	var all []Limit
	for _, s := range in(Limits) {
		l := Limit{Name: s.Name, Own: *s.limit(&own), Most: *s.limit(&most)}
		l.Holds = cmp.Or(l.Own, l.Most, s.Without)
		if s.exceeds(l.Own, l.Most) {
			l.Holds = l.Most
		}
		all = append(all, l)
	}
	return all
}

// exceeds reports whether the limit of a notebook allows more than that of the server.
func (s *Setting) exceeds(own, most string) bool {
	if own == "" || most == "" {
		return false
	}
	o, err := s.Unit.parse(own)
	if err != nil {
		return true // a text that is no limit allows anything
	}
	m, err := s.Unit.parse(most)
	return err != nil || o > m
}

// CheckChange returns the fault of a change of limits, as [Changed] makes it.
func CheckChange(change server.LimitValues) error {
	for _, s := range in(Limits) {
		text := *s.limit(&change)
		if text == "" || text == None {
			continue
		}
		if _, err := s.Unit.parse(text); err != nil {
			return fmt.Errorf("--%s: %w", s.Name, err)
		}
	}
	return nil
}

// Changed returns limits after a change: a limit that it has is set, or removed by [None], and the others stay.
func Changed(own, change server.LimitValues) server.LimitValues {
	for _, s := range in(Limits) {
		switch text := *s.limit(&change); text {
		case "":
		case None:
			*s.limit(&own) = ""
		default:
			*s.limit(&own) = text
		}
	}
	return own
}

// CheckWithin returns the fault of the limits of a notebook: a text that is no limit, or one above that of the server.
func CheckWithin(own, most server.LimitValues) error {
	for _, s := range in(Limits) {
		text, bound := *s.limit(&own), *s.limit(&most)
		if text == "" {
			continue
		}
		if _, err := s.number(text); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if s.exceeds(text, bound) {
			return fmt.Errorf("%s: %s is more than the server allows, which is %s", s.Name, text, bound)
		}
	}
	return nil
}

// Within returns the limits of a notebook, lowered to those of the server. A limit under which nothing can run, which may be from
// before such limits were refused, counts as the least.
func Within(own, most server.LimitValues) server.LimitValues {
	for _, s := range in(Limits) {
		text := s.limit(&own)
		if n, err := s.number(*text); err != nil && n > 0 {
			*text = s.Least
		}
		if bound := *s.limit(&most); *text == "" || s.exceeds(*text, bound) {
			*text = bound
		}
	}
	return own
}

// Hit returns the words for an error that comes from a limit.
func Hit(name, value string) string {
	return fmt.Sprintf("the limit of %s is %s (--%s)", Named(name).Noun, value, name)
}
