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

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/file"
)

// connection is the content of a kernel's connection file: its addresses, and the key that signs
// messages.
type connection struct {
	dir       string       // of the file and the sockets; only our user can read it
	remove    func() error // removes it
	transport string
	ip        string // of TCP; the path prefix of the sockets for IPC
	ports     map[channel]int
	key       string
}

// channel is one of the sockets of a kernel.
type channel string

// The channels, by what they are for.
const (
	shell     channel = "shell"   // requests, one after another
	control   channel = "control" // requests that may overtake
	stdin     channel = "stdin"   // questions to a person
	iopub     channel = "iopub"   // outputs and states, to all subscribers
	heartbeat channel = "hb"      // echoes heartbeats
)

func channels() []channel { return []channel{shell, control, stdin, iopub, heartbeat} }

// speaksIPC lists parts of the argv of kernels that are known to listen on Unix sockets, named as
// Jupyter's client does. The sockets are private to our user; a port is not, and another user of
// the machine could subscribe to iopub on it.
var speaksIPC = []string{"ipykernel", "IRkernel::main", "xpython", "xeus", "xcpp", "xr"}

// maxSocketPath is how long the name of a Unix socket may be.
const maxSocketPath = 100

// newConnection chooses the addresses of a kernel and writes its connection file.
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
		err = lang.ErrOffline // it listens on TCP only
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

// choosePorts finds free ports. If another program takes one before the kernel does, the kernel
// ends, and is started again.
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

// address returns the network and address of a channel.
func (c *connection) address(ch channel) (network, address string) {
	port := strconv.Itoa(c.ports[ch])
	if c.transport == "ipc" {
		return "unix", c.ip + "-" + port
	}
	return "tcp", net.JoinHostPort(c.ip, port)
}
