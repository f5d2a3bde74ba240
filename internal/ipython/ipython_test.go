package ipython

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheModulesAreOfAnyPythonThatIsSupported(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	for name, source := range map[string]string{"failing": Failing(), "lines": Lines()} {
		cmd := exec.CommandContext(t.Context(), python, "-I", "-c", "import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 9))")
		cmd.Stdin = strings.NewReader(source)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
