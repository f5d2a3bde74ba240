//go:build unix

package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/core/lang"
)

// lines prints about the amount of the output budget.
const lines = "for i in range(100000): print('line', i)"

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		engine := open(b, Config{})
		if err := engine.Load(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = engine.Close()
		b.StartTimer()
	}
}

// BenchmarkStartOfBarePython is the lower bound of a start.
func BenchmarkStartOfBarePython(b *testing.B) {
	python := open(b, Config{}).python
	for b.Loop() {
		if err := exec.Command(python, "-c", "pass").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmark(b *testing.B, source string) {
	engine := load(b)
	sink := sinkFunc(func(string) {})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := engine.Execute(b.Context(), lang.Request{Source: source}, sink); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOnePlusOne(b *testing.B) { benchmark(b, "1 + 1") }
func BenchmarkLines(b *testing.B)      { benchmark(b, lines) }
func BenchmarkDisplays(b *testing.B)   { benchmark(b, "for i in range(1000): display(i)") }
func BenchmarkLargePrint(b *testing.B) { benchmark(b, "print('x' * (20 << 20))") }

// BenchmarkLinesOfBarePython prints the same into a file, with the start of the
// interpreter, which BenchmarkStartOfBarePython measures.
func BenchmarkLinesOfBarePython(b *testing.B) {
	python := open(b, Config{}).python
	dir := b.TempDir()
	program := filepath.Join(dir, "x.py")
	if err := os.WriteFile(program, []byte(lines), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		file, err := os.Create(filepath.Join(dir, "out"))
		if err != nil {
			b.Fatal(err)
		}
		command := exec.Command(python, program)
		command.Stdout = file
		if err := command.Run(); err != nil {
			b.Fatal(err)
		}
		_ = file.Close()
	}
}
