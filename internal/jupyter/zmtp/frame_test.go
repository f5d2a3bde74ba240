package zmtp

import (
	"bufio"
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(data []byte, limit int64) ([][]byte, error) {
	r := reader{from: bufio.NewReader(bytes.NewReader(data)), limit: limit}
	return r.message(func(string, []byte) error { return nil })
}

func TestAMessageWithTooManyFramesIsRefused(t *testing.T) {
	var data []byte
	for range maxParts + 1 {
		data = appendFrame(data, flagMore, nil)
	}
	if _, err := read(data, 1000); err == nil || errors.As(err, new(*TooLargeError)) {
		t.Errorf("got %v, want the end", err)
	}
}

func TestMemoryIsNotTakenOnTheWordOfAPeer(t *testing.T) {
	data := []byte{flagLong, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff} // and nothing behind it
	allocated := testing.AllocsPerRun(1, func() {
		if _, err := read(data, 1<<62); err == nil {
			t.Error("got no error")
		}
	})
	if allocated > 20 {
		t.Errorf("got %v allocations, want few", allocated)
	}
	if _, err := read(bytes.Repeat([]byte{0xff}, 9), 1<<62); err == nil {
		t.Error("a frame of more bytes than there can be: got no error")
	}
}

func TestALargeFrameArrivesWhole(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789"), chunk/3)
	got, err := read(appendFrame(nil, 0, want), 1<<30)
	if err != nil || len(got) != 1 || !bytes.Equal(got[0], want) {
		t.Errorf("got %d parts, %v, want %d bytes", len(got), err, len(want))
	}
}

// FuzzMessage reads any bytes; a message that is written and read again must be equal.
func FuzzMessage(f *testing.F) {
	f.Add(appendFrame(appendFrame(nil, flagMore, []byte("a")), 0, bytes.Repeat([]byte("b"), 300)))
	f.Add(appendCommand(appendFrame(nil, flagMore, nil), "PING", []byte{0, 1}))
	f.Add([]byte{flagLong, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add(appendFrame(appendFrame(nil, 0, make([]byte, 5000)), 0, []byte("next")))
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 4096
		parts, err := read(data, limit)
		if err != nil {
			return
		}
		size := 0
		var again []byte
		for i, part := range parts {
			size += len(part)
			flags := byte(flagMore)
			if i == len(parts)-1 {
				flags = 0
			}
			again = appendFrame(again, flags, part)
		}
		if size > limit || len(parts) == 0 || len(parts) > maxParts {
			t.Fatalf("got %d bytes in %d parts", size, len(parts))
		}
		got, err := read(again, limit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parts, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// FuzzGreeting reads anything as the properties of a socket.
func FuzzGreeting(f *testing.F) {
	f.Add(appendProperty(appendProperty(nil, "Identity", ""), "socket-type", "ROUTER"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = socketType(data)
		_ = errorReason(data)
	})
}
