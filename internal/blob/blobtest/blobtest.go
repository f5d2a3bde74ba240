// Package blobtest is the suite for all stores of artifacts, with the rules of spec/artifacts.md.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

// Store stores bytes.
type Store interface {
	Put(ctx context.Context, r io.Reader, ready func(event.Artifact) error) (event.Artifact, error)
	Open(ctx context.Context, hash string) (io.ReadSeekCloser, int64, error)
	Delete(ctx context.Context, hash string) error
	List(ctx context.Context, yield func(hash string, put time.Time) error) error
}

// Suite checks the rules. open returns a new, empty store, and a function that counts its pieces of
// unfinished uploads.
func Suite(t *testing.T, open func(*testing.T) (s Store, pieces func() int)) {
	for name, test := range map[string]func(*testing.T, *bench){
		"AR1 bytes have the hash as their name and come back":    comesBack,
		"AR1 the same bytes are kept once":                       keptOnce,
		"AR1 many may put the same bytes at once":                putAtOnce,
		"AR2 an upload that is broken off leaves nothing":        leavesNothing,
		"AR2 what is not ready is not kept":                      notReady,
		"AR2 memory does not grow with the bytes":                staysFlat,
		"AR3 bytes are read from any place":                      readAnywhere,
		"AR3 a hash without bytes is not there":                  notThere,
		"AR3 what is deleted is gone and may come again":         deleted,
		"AR3 a list has every hash and when its bytes were kept": listed,
		"AR3 a call whose context has ended returns its error":   ended,
	} {
		t.Run(name, func(t *testing.T) {
			s, pieces := open(t)
			test(t, &bench{Store: s, pieces: pieces})
		})
	}
}

// bench is a store under test.
type bench struct {
	Store
	pieces func() int
}

// artifactOf returns the artifact of bytes.
func artifactOf(data []byte) event.Artifact {
	sum := sha256.Sum256(data)
	return event.Artifact{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data))}
}

// random returns bytes determined by a seed.
func random(seed, n int) []byte {
	data := make([]byte, n)
	source := rand.NewChaCha8([32]byte{byte(seed), byte(n), byte(n >> 8)})
	_, _ = source.Read(data) // it never fails
	return data
}

func (b *bench) put(t *testing.T, data []byte) event.Artifact {
	t.Helper()
	a, err := b.Put(t.Context(), bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (b *bench) read(t *testing.T, hash string) []byte {
	t.Helper()
	r, size, err := b.Open(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil || size != int64(len(data)) {
		t.Errorf("got %d bytes and %v, want %d", len(data), err, size)
	}
	return data
}

func (b *bench) hashes(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := b.List(t.Context(), func(hash string, _ time.Time) error {
		if found[hash] {
			t.Errorf("got %s twice", hash)
		}
		found[hash] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// empty checks that the store has neither artifacts nor pieces.
func (b *bench) empty(t *testing.T) {
	t.Helper()
	if got := b.hashes(t); len(got) > 0 {
		t.Errorf("got the hashes %v, want none", got)
	}
	if got := b.pieces(); got > 0 {
		t.Errorf("got %d pieces of uploads, want none", got)
	}
}

func comesBack(t *testing.T, b *bench) {
	for i, n := range []int{0, 1, 511, 64 << 10, 3<<20 + 17} {
		data := random(i, n)
		if diff := cmp.Diff(artifactOf(data), b.put(t, data)); diff != "" {
			t.Errorf("%d bytes (-want +got):\n%s", n, diff)
		}
		if got := b.read(t, artifactOf(data).Hash); !bytes.Equal(got, data) {
			t.Errorf("%d bytes: got others, %d of them", n, len(got))
		}
	}
	if got := b.pieces(); got > 0 {
		t.Errorf("got %d pieces of uploads, want none", got)
	}
}

func keptOnce(t *testing.T, b *bench) {
	data := random(1, 1000)
	first, again := b.put(t, data), b.put(t, data)
	if first != again {
		t.Errorf("got %v and then %v, want the same", first, again)
	}
	if diff := cmp.Diff(map[string]bool{first.Hash: true}, b.hashes(t)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
}

func putAtOnce(t *testing.T, b *bench) {
	data := random(2, 200_000)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			a, err := b.Put(t.Context(), bytes.NewReader(data), nil)
			if err != nil || a != artifactOf(data) {
				t.Errorf("got %v and %v", a, err)
			}
		})
	}
	all.Wait()
	if got := b.read(t, artifactOf(data).Hash); !bytes.Equal(got, data) {
		t.Errorf("got other bytes, %d of them", len(got))
	}
	if got := b.pieces(); got > 0 {
		t.Errorf("got %d pieces of uploads, want none", got)
	}
}

func leavesNothing(t *testing.T, b *bench) {
	cut := errors.New("cut off")
	_, err := b.Put(t.Context(), io.MultiReader(bytes.NewReader(random(3, 700_000)), iotest.ErrReader(cut)), nil)
	if !errors.Is(err, cut) {
		t.Errorf("got %v, want the error of the reader", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = b.Put(ctx, io.MultiReader(bytes.NewReader(random(4, 700_000)), call(cancel), endless{}), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that of the context", err)
	}
	b.empty(t)
}

// call is a reader without bytes that calls a function.
type call func()

func (f call) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// endless is a reader of zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func notReady(t *testing.T, b *bench) {
	data, full := random(5, 1000), errors.New("full")
	var told event.Artifact
	_, err := b.Put(t.Context(), bytes.NewReader(data), func(a event.Artifact) error {
		told = a
		if _, _, err := b.Open(t.Context(), a.Hash); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v before it is ready, want that it is not there", err)
		}
		return full
	})
	if !errors.Is(err, full) || told != artifactOf(data) {
		t.Errorf("got %v after ready was told of %v", err, told)
	}
	b.empty(t)
}

// staysFlat puts and reads 64 MiB, and measures the heap meanwhile.
func staysFlat(t *testing.T, b *bench) {
	const size, limit = 64 << 20, 8 << 20
	before, peak := heap(), uint64(0)
	watch := func() { peak = max(peak, heap()) }
	a, err := b.Put(t.Context(), io.LimitReader(&watched{r: endless{}, every: 8 << 20, f: watch}, size), nil)
	if err != nil || a.Size != size {
		t.Fatalf("got %v and %v", a, err)
	}
	watch()
	r, _, err := b.Open(t.Context(), a.Hash)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, &watched{r: r, every: 8 << 20, f: watch})
	if err != nil || n != size {
		t.Errorf("got %d bytes and %v, want %d", n, err, size)
	}
	if grown := int64(peak) - int64(before); grown > limit {
		t.Errorf("the heap grew by %d KiB, want at most %d", grown>>10, limit>>10)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// watched is a reader that calls a function at intervals of bytes.
type watched struct {
	r           io.Reader
	every, left int
	f           func()
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if w.left -= n; w.left <= 0 {
		w.left = w.every
		w.f()
	}
	return n, err
}

func readAnywhere(t *testing.T, b *bench) {
	data := random(6, 300_000)
	r, _, err := b.Open(t.Context(), b.put(t, data).Hash)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, at := range []struct {
		offset int64
		whence int
		want   int64
	}{{0, io.SeekEnd, 300_000}, {0, io.SeekStart, 0}, {299_990, io.SeekStart, 299_990}, {100, io.SeekStart, 100}, {50, io.SeekCurrent, 160}} {
		got, err := r.Seek(at.offset, at.whence)
		if err != nil || got != at.want {
			t.Fatalf("seek %v: got %d and %v", at, got, err)
		}
		part := make([]byte, min(10, len(data)-int(got)))
		if _, err := io.ReadFull(r, part); err != nil || !bytes.Equal(part, data[got:int(got)+len(part)]) {
			t.Errorf("at %d: got %x and %v", got, part, err)
		}
	}
}

func notThere(t *testing.T, b *bench) {
	for _, hash := range []string{artifactOf([]byte("none")).Hash, "", "owner", "../owner", strings.Repeat("A", 64), strings.Repeat("a", 63) + "/"} {
		if _, _, err := b.Open(t.Context(), hash); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open %q: got %v, want that it is not there", hash, err)
		}
		if err := b.Delete(t.Context(), hash); err != nil {
			t.Errorf("delete %q: got %v, want nothing", hash, err)
		}
	}
}

func deleted(t *testing.T, b *bench) {
	data, other := random(7, 1000), random(8, 1000)
	a := b.put(t, data)
	b.put(t, other)
	if err := b.Delete(t.Context(), a.Hash); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Open(t.Context(), a.Hash); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is gone", err)
	}
	if diff := cmp.Diff(map[string]bool{artifactOf(other).Hash: true}, b.hashes(t)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
	b.put(t, data)
	if got := b.read(t, a.Hash); !bytes.Equal(got, data) {
		t.Error("got other bytes after they were put again")
	}
}

func listed(t *testing.T, b *bench) {
	want, since := map[string]bool{}, time.Now().Add(-2*time.Second) // stores have a resolution of a second
	for i := range 40 {
		want[b.put(t, random(i, 10)).Hash] = true
	}
	if diff := cmp.Diff(want, b.hashes(t)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
	enough := errors.New("enough")
	calls := 0
	err := b.List(t.Context(), func(hash string, put time.Time) error {
		if calls++; put.Before(since) || put.After(time.Now().Add(time.Minute)) {
			t.Errorf("%s: got time %v, want that of just now", hash, put)
		}
		if calls == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || calls != 3 {
		t.Errorf("got %v after %d calls, want the error of the third", err, calls)
	}
}

func ended(t *testing.T, b *bench) {
	b.put(t, random(9, 10))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Put(ctx, strings.NewReader("late"), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("put: got %v", err)
	}
	err = b.List(ctx, func(string, time.Time) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("list: got %v", err)
	}
}
