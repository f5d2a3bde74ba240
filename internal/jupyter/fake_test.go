//go:build unix

package jupyter

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the test binary act as a kernel that follows the instructions in a source. It can
// break the protocol, and needs no installed kernel.
func TestMain(m *testing.M) {
	if os.Getenv("QUIRE_TEST_KERNEL") == "" {
		os.Exit(m.Run())
	}
	if err := runFake(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fakeKernel is the kernelspec of the test binary.
func fakeKernel(t testing.TB) Kernel {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Kernel{
		Name: "fake", Language: "fake", Argv: []string{program, connectionMark},
		Env: map[string]string{"QUIRE_TEST_KERNEL": "1"}, ByMessage: true,
	}
}

// fake is a kernel with one client.
type fake struct {
	first   *message // the run that later messages name as their parent
	signer  *signer
	stopped atomic.Bool // it answers no heartbeats

	mu    sync.Mutex
	conns map[channel]net.Conn

	stop chan *message // interrupts
}

// runFake serves the connection that a file describes, until the client asks it to end.
func runFake(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var place map[string]any
	if err := json.Unmarshal(data, &place); err != nil {
		return err
	}
	k := &fake{
		signer: newSigner(fmt.Sprint(place["key"])),
		conns:  map[channel]net.Conn{}, stop: make(chan *message, 1),
	}
	ended := make(chan error)
	for ch, kind := range map[channel]string{shell: "ROUTER", control: "ROUTER", stdin: "ROUTER", iopub: "PUB", heartbeat: "REP"} {
		listener, err := net.Listen("tcp", fmt.Sprintf("%v:%v", place["ip"], place[string(ch)+"_port"]))
		if err != nil {
			return err
		}
		go func() {
			conn, err := listener.Accept()
			if err == nil {
				err = k.serve(ch, kind, conn)
			}
			if ch != iopub {
				ended <- err
			}
		}()
	}
	return <-ended
}

// serve greets a client and answers it.
func (k *fake) serve(ch channel, kind string, conn net.Conn) error {
	hello := append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0}, "NULL"...)
	hello = append(hello, make([]byte, 64-len(hello))...)
	ready := append([]byte("\x05READY\x0bSocket-Type"), binary.BigEndian.AppendUint32(nil, uint32(len(kind)))...)
	ready = append(ready, kind...)
	hello = append(hello, 4, byte(len(ready)))
	if _, err := conn.Write(append(hello, ready...)); err != nil {
		return err
	}
	from := bufio.NewReader(conn)
	if _, err := io.ReadFull(from, make([]byte, 64)); err != nil {
		return err
	}
	if _, err := readParts(from); err != nil { // its READY
		return err
	}
	k.mu.Lock()
	k.conns[ch] = conn
	k.mu.Unlock()
	for {
		parts, err := readParts(from)
		if err != nil {
			return err
		}
		switch m, err := k.signer.open(ch, parts); {
		case ch == heartbeat && !k.stopped.Load():
			k.send(ch, parts)
		case ch == iopub || ch == heartbeat:
		case err != nil:
			return err
		case ch == control:
			k.control(m)
		default:
			k.answer(m)
		}
	}
}

// readParts reads a message of short and long frames.
func readParts(from *bufio.Reader) (parts [][]byte, err error) {
	for {
		flags, err := from.ReadByte()
		if err != nil {
			return nil, err
		}
		size := make([]byte, 8)
		if flags&2 == 0 {
			size[7], err = from.ReadByte()
		} else {
			_, err = io.ReadFull(from, size)
		}
		part := make([]byte, binary.BigEndian.Uint64(size))
		if _, readErr := io.ReadFull(from, part); err != nil || readErr != nil {
			return nil, errors.Join(err, readErr)
		}
		parts = append(parts, part)
		if flags&1 == 0 {
			return parts, nil
		}
	}
}

func (k *fake) send(ch channel, parts [][]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []byte
	for i, part := range parts {
		flags := byte(2)
		if i < len(parts)-1 {
			flags |= 1
		}
		out = binary.BigEndian.AppendUint64(append(out, flags), uint64(len(part)))
		out = append(out, part...)
	}
	if conn := k.conns[ch]; conn != nil {
		_, _ = conn.Write(out) // a missing subscriber gets nothing, as with ZeroMQ
	}
}

func (k *fake) hangUp() {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.conns[iopub].Close() // its process goes on
}

// tell sends a message with a parent.
func (k *fake) tell(ch channel, to *message, kind string, content any) [][]byte {
	parts, _, err := k.signer.seal(kind, &to.header, content)
	if err != nil {
		panic(err) // tests have only content that can be encoded
	}
	k.send(ch, parts)
	return parts
}

func (k *fake) state(to *message, state string) {
	k.tell(iopub, to, "status", map[string]string{"execution_state": state})
}

func (k *fake) print(to *message, text string) [][]byte {
	return k.tell(iopub, to, "stream", map[string]string{"name": "stdout", "text": text})
}

func (k *fake) control(m *message) {
	switch m.header.Type {
	case "shutdown_request":
		os.Exit(0)
	case "interrupt_request":
		k.stop <- m
	}
}

func (k *fake) answer(m *message) {
	k.state(m, "busy")
	switch m.header.Type {
	case "kernel_info_request":
		k.tell(shell, m, "kernel_info_reply", map[string]any{"status": "ok", "language_info": map[string]string{"file_extension": "fake"}})
	case "execute_request":
		var asked struct {
			Code string `json:"code"`
		}
		m.decode(&asked)
		if !k.execute(m, asked.Code) {
			return
		}
	}
	k.state(m, "idle")
}

// execute follows the instructions in a source, and reports whether the kernel is idle afterwards.
func (k *fake) execute(m *message, source string) (idle bool) {
	reply := map[string]any{"status": "ok", "execution_count": 1}
	switch source {
	case "say no idle":
		k.tell(shell, m, "execute_reply", reply)
		return false
	case "send no reply":
		return true
	case "reply late":
		k.print(m, "a")
		k.state(m, "idle")
		time.Sleep(10 * time.Millisecond)
	case "forge":
		forged := newSigner("another key")
		parts, _, _ := forged.seal("stream", &m.header, map[string]string{"name": "stdout", "text": "forged"})
		k.send(iopub, parts)
		k.print(m, "real")
	case "remember":
		k.print(m, "first")
		k.first = m
	case "speak for the first":
		k.print(m, "second")
		k.print(k.first, "late")
		k.tell(iopub, k.first, "display_data", map[string]any{"data": map[string]string{"text/plain": "shown"}})
		k.print(m, "second")
		go func() {
			time.Sleep(50 * time.Millisecond)
			k.print(k.first, "later")
			k.tell(iopub, k.first, "error", map[string]any{"ename": "Oh", "evalue": "no"})
			k.tell(iopub, m, "clear_output", map[string]bool{"wait": true})
			stranger := *m
			stranger.header.ID = "of nobody"
			k.print(&stranger, "strange")
		}()
	case "repeat":
		k.send(iopub, k.print(m, "once"))
	case "wait for an interrupt":
		k.print(m, "started")
		interrupt := <-k.stop
		k.tell(shell, m, "execute_reply", map[string]any{"status": "error", "ename": "Stopped", "evalue": "by you"})
		k.tell(control, interrupt, "interrupt_reply", map[string]string{"status": "ok"})
		return true
	case "say too much at once":
		k.print(m, strings.Repeat("x", 2000))
		k.print(m, "after")
	case "hang up":
		k.hangUp()
		select {}
	case "stop the heart":
		k.stopped.Store(true)
	}
	k.tell(shell, m, "execute_reply", reply)
	return true
}
