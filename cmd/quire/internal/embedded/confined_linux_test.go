//go:build amd64 || arm64

package embedded

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestTheProcessOfAnEngineIsConfined(t *testing.T) {
	for _, language := range Languages() {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "engine-process", language)
		requests, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		messages, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if hello, err := bufio.NewReader(messages).ReadString('\n'); !strings.Contains(hello, `"hello"`) {
			t.Errorf("%s: got %q, %v, want a hello", language, hello, err)
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Seccomp:\t2\n", "NoNewPrivs:\t1\n"} {
			if !strings.Contains(string(status), want) {
				t.Errorf("%s: the process is not confined: its status is without %q", language, want)
			}
		}
		_ = requests.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: got %v when its host goes, want no error", language, err)
		}
	}
}
