package main

import "github.com/quirehq/quire/core/text"

// merge returns the edit that brings into a text what somebody made of it, given
// what the text was when they began and what others have made of it since. What
// both sides did is kept.
func merge(base, mine, current string) text.Edit {
	_, edit := text.Transform(text.Diff(base, current), text.Diff(base, mine))
	return edit
}
