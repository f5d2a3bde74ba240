package jupyter

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/quirehq/quire/internal/file"
)

// connection is where a kernel listens and the key of its messages, as the file says
// that it is started with.
type connection struct {
	dir       string       // that has the file and the sockets; only we can read it
	remove    func() error // removes it
	transport string
	ip        string // of TCP, or what the names of the sockets begin with
	ports     map[channel]int
	key       string
}

// channel is one of the sockets of a kernel.
type channel string

// The channels, by what they are for.
const (
	shell   channel = "shell"   // requests, one after another
	control channel = "control" // requests that may overtake
	stdin   channel = "stdin"   // questions to a person
	iopub   channel = "iopub"   // what it does, for everybody
	beat    channel = "hb"      // an echo, as a sign of life
)

func channels() []channel { return []channel{shell, control, stdin, iopub, beat} }

// speaksIPC lists what names kernels that are known to listen on Unix sockets, and
// to name them as Jupyter's client does. Unlike ports these are ours alone: another
// user of the machine could subscribe to what a port says.
var speaksIPC = []string{"ipykernel", "IRkernel::main", "xpython", "xeus", "xcpp", "xr"}

// maxSocketPath is how long the name of a Unix socket may be.
const maxSocketPath = 100

// ErrOffline says that a kernel is to be started where there is no network and does not
// listen in any other way.
var ErrOffline = errors.New("it listens on the network only, and there is none where it is to run")

// newConnection chooses where a kernel is to listen and writes its file.
func newConnection(k *Kernel, offline bool) (*connection, error) {
	dir, remove, err := file.TempDir("quire-kernel-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the kernel's connection: %w", err)
	}
	c := &connection{dir: dir, remove: remove, ports: map[channel]int{}}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	c.key = hex.EncodeToString(key)
	switch {
	case c.choosesIPC(k):
		c.transport, c.ip = "ipc", filepath.Join(dir, "s")
		for i, ch := range channels() {
			c.ports[ch] = i + 1
		}
	case offline:
		err = ErrOffline
	default:
		c.transport, c.ip = "tcp", "127.0.0.1"
		err = c.choosePorts()
	}
	if err = errors.Join(err, c.write(k)); err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

func (c *connection) choosesIPC(k *Kernel) bool {
	return unixSockets && len(c.dir)+len("/s-5") <= maxSocketPath && k.mentions(speaksIPC...)
}

// choosePorts finds ports that nobody has. Another may take one before the kernel
// does, which then ends, and is started again.
func (c *connection) choosePorts() error {
	for _, ch := range channels() {
		listener, err := net.Listen("tcp", net.JoinHostPort(c.ip, "0"))
		if err != nil {
			return fmt.Errorf("find a port for the kernel: %w", err)
		}
		defer listener.Close()
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		c.ports[ch], _ = strconv.Atoi(port) // a listener has a number
	}
	return nil
}

// file is the path of the connection file.
func (c *connection) file() string { return filepath.Join(c.dir, "connection.json") }

func (c *connection) write(k *Kernel) error {
	file := map[string]any{
		"transport": c.transport, "ip": c.ip, "key": c.key, "signature_scheme": "hmac-sha256", "kernel_name": k.Name,
	}
	for ch, port := range c.ports {
		file[string(ch)+"_port"] = port
	}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.file(), data, 0o600)
}

// address returns what to connect to for a channel.
func (c *connection) address(ch channel) (network, address string) {
	port := strconv.Itoa(c.ports[ch])
	if c.transport == "ipc" {
		return "unix", c.ip + "-" + port
	}
	return "tcp", net.JoinHostPort(c.ip, port)
}
