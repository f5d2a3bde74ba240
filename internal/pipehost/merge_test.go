//go:build unix

package pipehost

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// feed feeds a merge two text pipes and the messages, each at its own pace, and returns its output
// and why it ended.
func feed(out, err []Piece, messages []Marked[string]) (string, error) {
	ended := &Process{exited: make(chan struct{})}
	close(ended.exited)
	chans := [2]chan Piece{make(chan Piece), make(chan Piece)}
	said := make(chan Marked[string])
	m := &Merge[string, gathering]{process: ended, text: [2]<-chan Piece{chans[0], chans[1]}, messages: said}
	var feeders sync.WaitGroup
	for i, pieces := range [2][]Piece{out, err} {
		feeders.Go(func() {
			defer close(chans[i])
			for _, p := range pieces {
				chans[i] <- p
			}
		})
	}
	feeders.Go(func() {
		defer close(said)
		for _, message := range messages {
			said <- message
		}
	})
	defer feeders.Wait()
	var all []string
	for {
		message, failed := m.Next(nil, gathering{&all})
		if failed != nil {
			return strings.Join(all, " "), failed
		}
		all = append(all, message)
	}
}

// gathering is an output that collects text.
type gathering struct{ all *[]string }

func (g gathering) Stream(name, text string) { *g.all = append(*g.all, name[3:]+":"+text) }

func text(text string) Piece                        { return Piece{text: text} }
func turn(number uint64) Piece                      { return Piece{mark: mark{number: number}} }
func before(number uint64) Piece                    { return Piece{mark: mark{number: number, message: true}} }
func said(at uint64, message string) Marked[string] { return Marked[string]{message, at} }

func TestThreeStreamsComeOutInTheOrderOfTheirMarks(t *testing.T) {
	for name, c := range map[string]struct {
		out, err []Piece
		messages []Marked[string]
		want     string
	}{
		"a message between texts": {
			[]Piece{text("a"), before(1), text("b")},
			[]Piece{before(1)},
			[]Marked[string]{said(1, "display")},
			"out:a display out:b",
		},
		"turns between streams": {
			[]Piece{text("a"), turn(1), turn(2), text("c")},
			[]Piece{turn(1), text("b"), turn(2)},
			nil,
			"out:a err:b out:c",
		},
		"messages in a row": {
			[]Piece{before(1), before(2), text("a")},
			[]Piece{before(1), before(2)},
			[]Marked[string]{said(1, "display"), said(2, "done")},
			"display done out:a",
		},
		"a message without a mark":       {nil, nil, []Marked[string]{said(0, "hello")}, "hello"},
		"a message whose marks are lost": {[]Piece{text("a")}, nil, []Marked[string]{said(1, "done")}, "out:a done"},
		"a mark whose message is lost":   {[]Piece{before(1), text("a")}, []Piece{before(1)}, nil, "out:a"},
		"a mark in one stream only":      {[]Piece{turn(1), text("a")}, nil, nil, "out:a"},
		"forged marks":                   {[]Piece{turn(9), text("a")}, []Piece{before(7)}, []Marked[string]{said(3, "done")}, "done out:a"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 200 { // for different interleavings
				got, err := feed(c.out, c.err, c.messages)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				if err == nil || err.Error() != "exit status 0" {
					t.Fatalf("got %v, want how the process ended", err)
				}
			}
		})
	}
}
