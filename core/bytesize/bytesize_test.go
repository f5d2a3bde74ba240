package bytesize

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSizesAreNumbersWithAUnit(t *testing.T) {
	for s, want := range map[string]int64{
		"1": 1, "512": 512, "512B": 512, "2k": 2 << 10, "512M": 512 << 20, "2G": 2 << 30, "2GB": 2 << 30, "1.5GiB": 3 << 29, "1 T": 1 << 40,
	} {
		if got, err := Parse(s); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "G", "x", "-1G", "0", "2GG", "2Gi2", "1Q", "nan", "0x10", "1e99", "inf", "1_0", "2bM"} {
		if got, err := Parse(s); err == nil {
			t.Errorf("%q: got %d, want an error", s, got)
		}
	}
}

func TestALimitIsShownInTheLargestUnitThatReadsBackAsTheSame(t *testing.T) {
	for n, want := range map[int64]string{
		1: "1 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1000: "1000 B", 1000001: "1000001 B", 100 << 10: "100 KiB",
		1536 << 20: "1.5 GiB", 2000 << 20: "2000 MiB", 1 << 50: "1024 TiB",
	} {
		if got := Text(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestEverySizeThatIsShownReadsBackAsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<52).Draw(t, "bytes")
		if got, err := Parse(Text(n)); err != nil || got != n {
			t.Errorf("%d is shown as %q, which reads as %d, %v", n, Text(n), got, err)
		}
	})
}

func TestAMeasuredSizeHasThreeDigits(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1023: "1023 B", 1500: "1.46 KiB", 1010 << 10: "1010 KiB", 14714515456: "13.7 GiB"} {
		if got := About(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
