package proc

import (
	"slices"
	"testing"
)

func TestAnIsolatedProgramGetsNothingThatLoadsAFile(t *testing.T) {
	t.Parallel()
	environ := []string{
		"PATH=.:/usr/bin::bin:/bin", "HOME=/home/a", "LANG=C", "PYTHONPATH=/x", "PYTHONSTARTUP=/x", "PYTHONHOME=/x", "BASH_ENV=/x", "ENV=/x", "LD_PRELOAD=/x",
		"LD_LIBRARY_PATH=/x", "R_PROFILE=/x", "R_ENVIRON_USER=/x", "NODE_OPTIONS=-r /x", "NODE_PATH=/x", "RUBYOPT=-r/x", "PERL5OPT=-M/x", "PERL5LIB=/x",
		"GIT_CONFIG_GLOBAL=/x", "GIT_SSH_COMMAND=/x", "BASH_FUNC_ls%%=() { :; }", "SECRET=topsecret", "QUIRE_TOKEN=x", "GCONV_PATH=/x", "LOCPATH=/x",
	}
	want := []string{"PATH=/usr/bin:/bin", "HOME=/home/a", "LANG=C"}
	if got := IsolatedEnv(environ); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := IsolatedEnv(nil); got == nil {
		t.Error("got nil, which means all variables of this process")
	}
}
