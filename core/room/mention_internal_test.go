package room

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

// filler puts an artifact of its own wherever a value has room for one.
type filler struct{ made []event.Artifact }

func (f *filler) fill(v reflect.Value) {
	switch {
	case !v.CanSet() || v.Type() == reflect.TypeFor[json.RawMessage]():
	case v.Type() == reflect.TypeFor[event.Artifact]():
		a := event.Artifact{Hash: fmt.Sprintf("%064x", len(f.made)+1), Size: int64(len(f.made))}
		f.made = append(f.made, a)
		v.Set(reflect.ValueOf(a))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, key := range []string{"a", "b"} {
			value := reflect.New(v.Type().Elem()).Elem()
			f.fill(value)
			v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), value)
		}
	}
}

func TestAR11EveryArtifactThatAnEventCanHoldIsOneThatItMentions(t *testing.T) {
	holds := 0
	for _, typ := range event.Types() {
		p, f := event.New(typ), &filler{}
		f.fill(reflect.ValueOf(p).Elem())
		got := slices.Clone(mentioned(p))
		slices.SortFunc(got, func(a, b event.Artifact) int { return int(a.Size - b.Size) })
		if diff := cmp.Diff(f.made, got); diff != "" {
			t.Errorf("%s: mentioned (-want +got):\n%s", typ, diff)
		}
		if len(f.made) > 0 {
			holds++
		}
		if list := mentioned(event.New(typ)); len(list) > 1 || len(list) == 1 && list[0] != (event.Artifact{}) {
			t.Errorf("%s without artifacts: got %v", typ, list)
		}
	}
	if holds < 5 {
		t.Errorf("found artifacts in %d types, want those of outputs, files and comms", holds)
	}
}
