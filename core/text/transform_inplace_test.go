package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTX4EditsThatLieApartTransformAsAllOthersDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edit := func(name string) Edit {
			at := rapid.IntRange(0, 6).Draw(t, name+" at")
			return Replace(at, rapid.IntRange(0, 3).Draw(t, name+" drop"), rapid.SampledFrom([]string{"", "x", "yz"}).Draw(t, name+" text"))
		}
		a, b := edit("first"), edit("second")
		got1, got2 := a, b
		TransformInPlace(&got1, &got2)
		want1, want2 := a, b
		if !a.IsZero() && !b.IsZero() {
			want1, want2 = transformAny(a, b)
		}
		if !got1.Equal(want1) || !got2.Equal(want2) {
			t.Fatalf("TransformInPlace(%v, %v) gives %v, %v; want %v, %v", a, b, got1, got2, want1, want2)
		}
	})
}
