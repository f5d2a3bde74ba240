//go:build unix

package python

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// feed feeds a merge two text pipes and the messages, each at its own pace, and returns its output
// and why it ended.
func feed(out, err []piece, messages []*message) (string, error) {
	ended := &process{exited: make(chan struct{})}
	close(ended.exited)
	chans := [2]chan piece{make(chan piece), make(chan piece)}
	said := make(chan *message)
	m := &merge{process: ended, text: [2]<-chan piece{chans[0], chans[1]}, messages: said}
	var feeders sync.WaitGroup
	for i, pieces := range [2][]piece{out, err} {
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
		message, failed := m.next(nil, gathering{&all})
		if failed != nil {
			return strings.Join(all, " "), failed
		}
		all = append(all, message.Kind)
	}
}

// gathering is an output that collects text.
type gathering struct{ all *[]string }

func (g gathering) stream(name, text string)         { *g.all = append(*g.all, name[3:]+":"+text) }
func (g gathering) late(_ uint64, name, text string) { g.stream(name, text) }
func (g gathering) message(*message)                 {}

func text(text string) piece                 { return piece{text: text} }
func turn(number uint64) piece               { return piece{mark: mark{number: number}} }
func before(number uint64) piece             { return piece{mark: mark{number: number, message: true}} }
func said(mark uint64, kind string) *message { return &message{mark: mark, Kind: kind} }

func TestThreeStreamsComeOutInTheOrderOfTheirMarks(t *testing.T) {
	for name, c := range map[string]struct {
		out, err []piece
		messages []*message
		want     string
	}{
		"a message between texts": {
			[]piece{text("a"), before(1), text("b")},
			[]piece{before(1)},
			[]*message{said(1, "display")},
			"out:a display out:b",
		},
		"turns between streams": {
			[]piece{text("a"), turn(1), turn(2), text("c")},
			[]piece{turn(1), text("b"), turn(2)},
			nil,
			"out:a err:b out:c",
		},
		"messages in a row": {
			[]piece{before(1), before(2), text("a")},
			[]piece{before(1), before(2)},
			[]*message{said(1, "display"), said(2, "done")},
			"display done out:a",
		},
		"a message without a mark":       {nil, nil, []*message{said(0, "hello")}, "hello"},
		"a message whose marks are lost": {[]piece{text("a")}, nil, []*message{said(1, "done")}, "out:a done"},
		"a mark whose message is lost":   {[]piece{before(1), text("a")}, []piece{before(1)}, nil, "out:a"},
		"a mark in one stream only":      {[]piece{turn(1), text("a")}, nil, nil, "out:a"},
		"forged marks":                   {[]piece{turn(9), text("a")}, []piece{before(7)}, []*message{said(3, "done")}, "done out:a"},
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
