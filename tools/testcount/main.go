// Command testcount reads what `go test -json` prints, for one run or several one after another, and prints a line for each package, the
// whole output of what failed, and one line of totals at the end. It fails when a test failed, and when there was none.
package main

import (
	"fmt"
	"os"
)

func main() {
	s, err := read(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcount:", err)
		os.Exit(2)
	}
	fmt.Println(s)
	if s.failed > 0 || s.passed == 0 {
		os.Exit(1)
	}
}
