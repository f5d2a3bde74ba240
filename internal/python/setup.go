package python

import (
	"crypto/rand"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/quirehq/quire/internal/ipython"
)

//go:embed driver/*.py
var driver embed.FS

//go:embed driver/boot.py
var boot string

// setup is the first request: the driver's source, the secret of the marks, and whether other
// processes may hold the pipes that the driver was started with.
type setup struct {
	token   []byte
	sources map[string]string
	shared  bool
}

func newSetup() (setup, error) {
	files, err := fs.Glob(driver, "driver/*.py")
	if err != nil {
		return setup{}, fmt.Errorf("list the driver: %w", err)
	}
	s := setup{token: make([]byte, tokenSize), sources: map[string]string{"failing": ipython.Failing()}}
	for _, file := range files {
		source, err := driver.ReadFile(file)
		if err != nil {
			return setup{}, fmt.Errorf("read the driver: %w", err)
		}
		s.sources[strings.TrimSuffix(strings.TrimPrefix(file, "driver/"), ".py")] = string(source)
	}
	_, _ = rand.Read(s.token) // it never fails
	s.token[0] = markStart
	return s, nil
}

// MarshalJSON implements json.Marshaler.
func (s setup) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Token   string            `json:"token"`
		Sources map[string]string `json:"sources"`
		Shared  bool              `json:"shared"`
	}{hex.EncodeToString(s.token), s.sources, s.shared})
}
