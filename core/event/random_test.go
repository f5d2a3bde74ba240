package event_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// randomEvent draws an event of any known type, and sometimes one of an unknown type.
func randomEvent(t *rapid.T) event.Event {
	return event.Event{
		Seq: event.Seq(rapid.Uint64().Draw(t, "seq")),
		ID: event.ID{
			Client: event.ClientID(rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`).Draw(t, "client")),
			N:      rapid.Uint64Min(1).Draw(t, "n"),
		},
		Actor:   event.Actor(rapid.String().Draw(t, "actor")),
		Time:    event.Time(rapid.Int64().Draw(t, "time")),
		Payload: randomPayload(t),
	}
}

func randomPayload(t *rapid.T) event.Payload {
	types := event.Types()
	slices.Sort(types)
	// Half the events of a log are edits, and they have their own decoder.
	switch rapid.IntRange(0, 9).Draw(t, "draw") {
	case 0:
		name := event.Type(rapid.StringN(1, -1, -1).Draw(t, "name"))
		if event.New(name) == nil {
			return &event.Unknown{Name: name, Raw: randomJSON(t)}
		}
	case 1, 2, 3, 4:
		types = []event.Type{"SourceEdited"}
	}
	p := event.New(rapid.SampledFrom(types).Draw(t, "type"))
	fill(t, reflect.ValueOf(p).Elem())
	return p
}

// fill draws a value for v and everything in it.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes(randomJSON(t))
		return
	case text.Edit:
		v.Set(reflect.ValueOf(randomEdit(t)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint"))
	default:
		fillComposite(t, v)
	}
}

func fillComposite(t *rapid.T, v reflect.Value) {
	n := rapid.IntRange(0, 2).Draw(t, "n")
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		if n > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range n {
			elem := reflect.New(v.Type().Elem()).Elem()
			fill(t, elem)
			v.SetMapIndex(reflect.ValueOf(rapid.String().Draw(t, "key")), elem)
		}
	default:
		panic(fmt.Sprintf("no way to draw a %s", v.Type()))
	}
}

func randomJSON(t *rapid.T) json.RawMessage {
	return json.RawMessage(rapid.SampledFrom([]string{
		`null`, `true`, `0`, `-1.50e9`, `""`, `"<&>"`, `"\ud83d\ude00"`, `"é 🐎"`, "\"\u2028\"", `[]`, `{}`, `[1,[2,{}]]`, `{"a":{"b":null}}`,
	}).Draw(t, "json"))
}

func randomEdit(t *rapid.T) text.Edit {
	place, length := rapid.IntRange(0, 1<<20), rapid.IntRange(0, 9)
	return text.Replace(place.Draw(t, "at"), length.Draw(t, "drop"), rapid.String().Draw(t, "insert"))
}
