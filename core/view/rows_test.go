package view

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func TestARowOfACellHasEachMemberOfTheCellThatItNames(t *testing.T) {
	var c notebook.Cell
	from := reflect.ValueOf(&c).Elem()
	for i := range from.NumField() {
		if from.Field(i).CanSet() && from.Type().Field(i).Name != "Outputs" { // a row has those that are shown
			from.Field(i).Set(other(t, from.Field(i).Type()))
		}
	}
	row := reflect.ValueOf(cellRow(&c))
	for i := range row.NumField() {
		name := row.Type().Field(i).Name
		if has := from.FieldByName(name); has.IsValid() && name != "Outputs" && !reflect.DeepEqual(row.Field(i).Interface(), has.Interface()) {
			t.Errorf("got %s %v, want that of the cell: add it to cellRow", name, row.Field(i))
		}
	}
}

func TestRowsThatDifferInAnyMemberAreNotTheSame(t *testing.T) {
	if !sameRow(Cell{}, Cell{}) {
		t.Error("got two empty rows as different")
	}
	for i := range reflect.TypeFor[Cell]().NumField() {
		var row Cell
		field := reflect.TypeFor[Cell]().Field(i)
		if field.Name == "Text" {
			continue // it changes by Batch.Texts
		}
		reflect.ValueOf(&row).Elem().Field(i).Set(other(t, field.Type))
		if sameRow(row, Cell{}) || sameRow(Cell{}, row) {
			t.Errorf("got rows of different %s as the same, so that pages would not get it: add it to sameRow", field.Name)
		}
	}
}

// other returns a value of a type that is not its zero value.
func other(t *testing.T, typ reflect.Type) reflect.Value {
	t.Helper()
	v := reflect.New(typ).Elem()
	switch {
	case v.Kind() == reflect.String:
		v.SetString("R")
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case typ == reflect.TypeFor[[]event.OutputID]():
		v.Set(reflect.ValueOf([]event.OutputID{"o"}))
	case typ == reflect.TypeFor[map[string]json.RawMessage]():
		v.Set(reflect.ValueOf(map[string]json.RawMessage{"k": json.RawMessage(`1`)}))
	default:
		t.Fatalf("no value for a %s", typ)
	}
	return v
}
