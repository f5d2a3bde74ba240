package sqlite

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestColumnsGiveTheSameLinesAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`(\{"seq":[0-9]{1,21},"id":"[a-z0-9]{0,4}[.-]0?[0-9]{0,20}","p":\[-?[0-9.]{0,6},"[^\n]{0,6}"\]\})`),
			rapid.StringMatching(`[ "\\:,0-9a.\x01-\x05-]{1,30}`),
		), 1, 30).Draw(t, "lines")
		want := []byte(strings.Join(lines, "\n") + "\n")
		if bytes.Count(want, []byte{'\n'}) != len(lines) {
			t.Skip("a line break in a line")
		}
		got, err := decodeColumns(encodeColumns(want, len(lines)), len(lines))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got %q and %v, want %q", got, err, want)
		}
	})
}

func TestARecordWithMoreValuesThanPlacesComesBack(t *testing.T) {
	line := `{"n":[` + strings.Repeat(`7,"s.12",`, 3*maxPlaces) + "0]}\n"
	want := []byte(strings.Repeat(line, 3))
	got, err := decodeColumns(encodeColumns(want, 3), 3)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %q and %v, want %q", got, err, want)
	}
}

func TestDamagedSegmentsAreFoundAndDoNotPanic(t *testing.T) {
	c, err := newCodec()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	lines := []byte(strings.Repeat(`{"seq":1,"id":"a.1","text":"some text"}`+"\n", 20))
	f, data, err := c.pack(lines, 20)
	if err != nil || f != formColumns {
		t.Fatalf("pack: got form %d and %v, want columns", f, err)
	}
	for name, s := range map[string]segment{
		"other bytes":   {first: 1, last: 20, form: formColumns, data: []byte("garbage")},
		"cut off":       {first: 1, last: 20, form: formColumns, data: data[:len(data)-3]},
		"too few lines": {first: 1, last: 21, form: formColumns, data: data},
		"too many":      {first: 1, last: 3, form: formLines, data: lines},
		"unknown form":  {first: 1, last: 20, form: 9, data: data},
	} {
		if _, err := c.unpack(s); !errors.Is(err, errDamaged) {
			t.Errorf("%s: got %v, want errDamaged", name, err)
		}
	}
}

func FuzzColumnsOfAnyBytesDecodeOrFail(f *testing.F) {
	f.Add(encodeColumns([]byte(`{"seq":1,"id":"a.1"}`+"\n"+`{"seq":2,"id":"a.2"}`+"\n"), 2), 2)
	f.Add([]byte{1, 0, 1, 0, 0, 0}, 1)
	f.Fuzz(func(t *testing.T, data []byte, count int) {
		if count < 0 || count > 1000 {
			return
		}
		if _, err := decodeColumns(data, count); err != nil && !strings.Contains(err.Error(), "record") && !errors.Is(err, errShort) {
			t.Errorf("got %v", err)
		}
	})
}

func FuzzLinesComeBack(f *testing.F) {
	f.Add([]byte("{\"seq\":1,\"id\":\"a.1\"}\n{\"seq\":2,\"id\":\"a.02\"}\n"))
	f.Add([]byte("\"\\\"\n\\\n\x01\x02\n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		lines = append(bytes.ReplaceAll(bytes.Trim(lines, "\n"), []byte("\n\n"), []byte("\n")), '\n')
		count := bytes.Count(lines, []byte{'\n'})
		got, err := decodeColumns(encodeColumns(lines, count), count)
		if err != nil || !bytes.Equal(got, lines) {
			t.Errorf("got %q and %v, want %q", got, err, lines)
		}
	})
}
