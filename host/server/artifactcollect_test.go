package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/internal/blob"
)

// collectWorld is a world whose artifacts a test collects, with the time it is.
type collectWorld struct {
	*world
	bytes artifacts.Bytes
	clock *clock
}

func newCollectWorld(t *testing.T, wrap func(artifacts.Bytes) artifacts.Bytes) *collectWorld {
	t.Helper()
	c := &collectWorld{clock: newClock()}
	c.clock.now.Store(time.Now().UnixNano()) // files have the time of the machine
	c.world = newArtifactWorld(t, c.clock.use, func(cfg *server.Config) {
		cfg.Artifacts.Bytes = wrap(cfg.Artifacts.Bytes)
		c.bytes = cfg.Artifacts.Bytes
	})
	return c
}

func plain(b artifacts.Bytes) artifacts.Bytes { return b }

func (c *collectWorld) sweep(t *testing.T) {
	t.Helper()
	if err := c.SweepArtifacts(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// kept returns the hashes under which there are bytes.
func (c *collectWorld) kept(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := c.bytes.List(t.Context(), func(hash string, _ time.Time) error {
		found[hash] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func hashes(list ...event.Artifact) map[string]bool {
	set := map[string]bool{}
	for _, a := range list {
		set[a.Hash] = true
	}
	return set
}

func TestAR12WhatNothingMentionsGoesAfterADayAndWhatALogMentionsNever(t *testing.T) {
	c := newCollectWorld(t, plain)
	c.book("b2")
	loose, mentioned, removed := c.upload(t, "b1", "loose"), c.upload(t, "b1", "mentioned"), c.upload(t, "b1", "removed")
	c.upload(t, "b2", "mentioned")
	stray, err := c.bytes.Put(t.Context(), strings.NewReader("stray"), func(event.Artifact) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	p := c.join(t, "b1", ownerToken, "c1")
	ids := p.push(
		&event.FileAttached{Name: "f", Artifact: mentioned}, &event.FileAttached{Name: "g", Artifact: removed}, &event.FileRemoved{Name: "g"},
	)
	p.committed(ids[2])
	c.clock.add(23 * time.Hour)
	fresh := c.upload(t, "b1", "fresh")
	c.sweep(t)
	if diff := cmp.Diff(hashes(loose, mentioned, removed, stray, fresh), c.kept(t)); diff != "" {
		t.Errorf("after 23 hours (-want +got):\n%s", diff)
	}
	c.clock.add(2 * time.Hour)
	for range 2 {
		c.sweep(t)
		// The bytes of the fresh one are as old, but the notebook has it.
		if diff := cmp.Diff(hashes(mentioned, removed, fresh), c.kept(t)); diff != "" {
			t.Errorf("after 25 hours (-want +got):\n%s", diff)
		}
	}
	c.do(t, download("b1", loose, "")).want(t, 404)
	c.do(t, download("b2", mentioned, "")).want(t, 404) // b2 never mentioned it
	c.do(t, download("b1", removed, "")).want(t, 200)
	c.eventually(t, "quire_artifacts_collected_total 2")
}

func TestAR12UploadingAgainBeginsTheDayAnew(t *testing.T) {
	c := newCollectWorld(t, plain)
	a := c.upload(t, "b1", "again")
	c.clock.add(23 * time.Hour)
	c.upload(t, "b1", "again")
	c.clock.add(23 * time.Hour)
	c.sweep(t)
	c.do(t, download("b1", a, "")).want(t, 200)
}

var hashInLog = regexp.MustCompile(`"hash":"([0-9a-f]{64})"`)

// TestAR12NoLogMentionsWhatACollectionRemoved has people and runtimes upload, mention,
// clear, delete, duplicate and restore at random, with collections between, and then
// looks for every hash in every record of every log.
func TestAR12NoLogMentionsWhatACollectionRemoved(t *testing.T) {
	for _, seed := range []uint64{1, 2, rand.Uint64()} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			l := &life{collectWorld: newCollectWorld(t, plain), t: t, rand: rand.New(rand.NewPCG(seed, 0)), books: []string{"b1"}}
			for range 120 {
				l.step()
			}
			l.clock.add(48 * time.Hour)
			l.sweep(t)
			l.check()
		})
	}
}

// life simulates the use of notebooks for a while.
type life struct {
	*collectWorld
	t        *testing.T
	rand     *rand.Rand
	books    []string
	uploaded []event.Artifact
	n        uint64
}

func (l *life) book() string { return l.books[l.rand.IntN(len(l.books))] }

func (l *life) step() {
	switch l.rand.IntN(10) {
	case 0, 1, 2:
		l.uploaded = append(l.uploaded, l.upload(l.t, l.book(), fmt.Sprint("content ", l.rand.IntN(40))))
	case 3, 4, 5:
		l.mention(l.book())
	case 6:
		l.clock.add(time.Duration(l.rand.IntN(20)) * time.Hour)
	case 7:
		l.sweep(l.t)
	case 8:
		l.duplicate()
	case 9:
		book := l.book()
		l.do(l.t, request{method: "DELETE", path: "/api/notebooks/" + book, token: ownerToken}).want(l.t, 204)
		l.sweep(l.t)
		l.do(l.t, request{method: "POST", path: "/api/notebooks/" + book + "/restore", token: ownerToken}).want(l.t, 200)
	}
}

// mention states events with artifacts that the notebook may or may not have.
func (l *life) mention(book string) {
	if len(l.uploaded) == 0 {
		return
	}
	a, b := l.uploaded[l.rand.IntN(len(l.uploaded))], l.uploaded[l.rand.IntN(len(l.uploaded))]
	l.n++
	p := l.join(l.t, book, ownerToken, event.ClientID(fmt.Sprint("c", l.n)))
	cell := event.CellID(fmt.Sprint("cell", l.n))
	ids := p.push(
		&event.CellCreated{Cell: cell, Kind: event.KindCode, Order: "B"},
		&event.OutputsImported{Cell: cell, Outputs: []event.Output{{Kind: event.OutputDisplay, Artifacts: map[string]event.Artifact{"a/b": a, "c/d": b}}}},
		&event.FileAttached{Name: "f", Artifact: b},
		&event.CellOutputsCleared{},
	)
	p.outcome(ids[3])
	_ = p.Close()
}

func (l *life) duplicate() {
	if len(l.books) == 4 {
		return
	}
	var made struct{ ID string }
	l.do(l.t, request{method: "POST", path: "/api/notebooks/" + l.book() + "/duplicate", token: ownerToken, body: `{}`}).want(l.t, 201).into(l.t, &made)
	l.books = append(l.books, made.ID)
}

func (l *life) check() {
	kept, found := l.kept(l.t), map[string]bool{}
	for _, book := range l.books {
		log := l.do(l.t, request{method: "GET", path: "/api/notebooks/" + book + "/log", token: ownerToken}).want(l.t, 200).body
		for _, m := range hashInLog.FindAllStringSubmatch(log, -1) {
			found[m[1]] = true
			if !kept[m[1]] {
				l.t.Errorf("the log of %s mentions %.8s, which is gone", book, m[1])
			}
			l.do(l.t, download(book, event.Artifact{Hash: m[1]}, "")).want(l.t, 200)
		}
	}
	if len(found) == 0 {
		l.t.Error("no log mentions anything, so that this test tells nothing")
	}
	if diff := cmp.Diff(found, kept); diff != "" {
		l.t.Errorf("kept, though no log mentions it (-mentioned +kept):\n%s", diff)
	}
}

// slowPut lets a test do something once it is found that bytes are there.
type slowPut struct {
	artifacts.Bytes
	between func()
}

func (s *slowPut) Put(ctx context.Context, r io.Reader, ready func(event.Artifact) error) (event.Artifact, error) {
	a, err := s.Bytes.Put(ctx, r, ready)
	if s.between != nil {
		s.between()
	}
	return a, err
}

func TestAR12ACollectionWhileBytesAreBeingNotedLeavesThem(t *testing.T) {
	s := &slowPut{}
	c := newCollectWorld(t, func(b artifacts.Bytes) artifacts.Bytes {
		s.Bytes = b
		return s
	})
	a := c.upload(t, "b1", "again")
	c.clock.add(25 * time.Hour)
	s.between = func() { c.sweep(t) }
	c.upload(t, "b1", "again")
	s.between = nil
	if got := c.do(t, download("b1", a, "")).want(t, 200); got.body != "again" {
		t.Errorf("got %q", got.body)
	}
	c.sweep(t)
	c.do(t, download("b1", a, "")).want(t, 200)
}

func TestAR12BytesThatWereKeptJustBeforeTheServerWasKilledGoAfterADay(t *testing.T) {
	dir := t.TempDir()
	disk, err := blob.OpenDisk(t.Context(), filepath.Join(dir, "artifacts"), "test")
	if err != nil {
		t.Fatal(err)
	}
	a, err := disk.Put(t.Context(), strings.NewReader("kept, and then killed"), nil)
	if err != nil {
		t.Fatal(err)
	}
	now := newClock()
	now.now.Store(time.Now().UnixNano())
	w := newWorld(t, withArtifacts(t, dir), now.use)
	for _, step := range []struct {
		hours int
		want  error
	}{{23, nil}, {2, fs.ErrNotExist}} {
		now.add(time.Duration(step.hours) * time.Hour)
		if err := w.SweepArtifacts(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, _, err := disk.Open(t.Context(), a.Hash)
		if !errors.Is(err, step.want) {
			t.Errorf("after %d hours more: got %v, want %v", step.hours, err, step.want)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}
