package ipynb

import (
	"strings"
	"testing"
)

func TestIP2NumbersOfPythonsBecomeThoseOfJSON(t *testing.T) {
	const file = `{"nbformat":4,"nbformat_minor":5,"metadata":{"a":[NaN,Infinity,-Infinity,"NaN \" Infinity"],"b":NaN},"cells":[
		{"cell_type":"code","id":"x","metadata":{},"source":"x = NaN","execution_count":NaN,"outputs":[
		{"output_type":"display_data","metadata":{},"data":{"application/json":{"y":[NaN,1.50,12345678901234567890,1e-7]}}}]}]}`
	n := fold(t, mustImport(t, []byte(file)))
	if got, want := string(n.Metadata()["a"]), `[null,1e999,-1e999,"NaN \" Infinity"]`; got != want {
		t.Errorf("got the metadata %s, want %s", got, want)
	}
	if got, want := n.Cell("x").Source(), "x = NaN"; got != want {
		t.Errorf("got the source %s, want %s", got, want)
	}
	o := n.Output(n.Cell("x").Outputs[0]).Value()
	if got, want := string(o.Data["application/json"]), `{"y":[null,1.50,12345678901234567890,1e-7]}`; got != want {
		t.Errorf("got the data %s, want %s", got, want)
	}
	mustBeValid(t, through(t, []byte(file)))
}

func TestIP2OfAKeyThatIsThereTwiceTheLastCounts(t *testing.T) {
	n := fold(t, mustImport(t, []byte(`{"nbformat":4,"metadata":{"a":{"x":1},"a":{"y":2}}}`)))
	if got, want := string(n.Metadata()["a"]), `{"y":2}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestIP10WhatOnlyLooksLikeANumberIsDamage(t *testing.T) {
	mustRefuse(t, []damage{
		{"{\"nbformat\":4,\n\"metadata\":{\"a\":nan}}", "line 2, column "},
		{"{\"nbformat\":4,\n\"metadata\":{\"a\":NaNa}}", "line 2, column "},
		{"{\"nbformat\":4,\n\"metadata\":{\"a\":--Infinity}}", "line 2, column "},
		{"{\"nbformat\":4,\n\"metadata\":{NaN:1}}", "line 2, column "},
		{"{\"nbformat\":NaN}", "nbformat: it is missing"},
		{"{\"nbformat\":Infinity}", "nbformat: want a whole number from 0, got 1e999"},
		{strings.Repeat("[", 20_000) + "NaN", "line 1, column "},
	})
}
