package jupyter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/jupyter/zmtp"
)

// maxMessage bounds one message of a kernel, whose decoding and delivery take several times as
// much. A picture, or all that a cell prints within a fifth of a second, is one message.
const maxMessage = 64 << 20

// link is a running kernel with our connections to it.
type link struct {
	place   *connection
	process *process
	signer  *signer
	sockets map[channel]*zmtp.Conn
	inbox   *inbox
	most    int64 // bytes of a message
	pipes   []*pipe
	readers sync.WaitGroup // all goroutines that fill the inbox

	blocks      atomic.Bool // the kernel itself blocks when its published messages are not taken
	reportsLeft atomic.Bool // the kernel answers quire_left_request
	paused      atomic.Bool
	resumed     atomic.Int64 // the time of the last resume, in nanoseconds
	refused     atomic.Int64 // messages with a wrong signature or form
}

// startLink starts a kernel. Its output waits in the inbox.
func startLink(cfg *Config) (*link, error) {
	place, err := newConnection(&cfg.Kernel, cfg.Offline)
	if err != nil {
		return nil, err
	}
	env := cfg.Env
	if env == nil {
		env = os.Environ()
	}
	argv, environ := cfg.Kernel.command(place.file(), env)
	process, err := startProcess(argv, environ, cfg, place.dir)
	if err != nil {
		return nil, errors.Join(err, place.remove())
	}
	l := &link{place: place, process: process, signer: newSigner(place.key), most: cmp.Or(cfg.MaxMessage, maxMessage), sockets: map[channel]*zmtp.Conn{}}
	l.inbox = newInbox(l.hold)
	for i, name := range []string{lang.Stdout, lang.Stderr} {
		p := newPipe(name, process.out[i], l.inbox)
		l.pipes = append(l.pipes, p)
		l.readers.Go(p.follow)
	}
	return l, nil
}

// hold pauses the kernel while the inbox is full, and resumes it.
func (l *link) hold(full bool) {
	if l.blocks.Load() && full {
		return
	}
	l.paused.Store(full)
	if full {
		l.process.pause()
	} else {
		l.resumed.Store(time.Now().UnixNano())
		l.process.resume()
	}
}

// errEnded says that the kernel's process ended before it was ready.
var errEnded = errors.New("it ended")

// connect connects to each channel as soon as the kernel listens on it.
func (l *link) connect(ctx context.Context) error {
	for _, ch := range channels() {
		conn, err := l.dial(ctx, ch)
		if err != nil {
			return fmt.Errorf("connect to its channel %s: %w", ch, err)
		}
		l.sockets[ch] = conn
	}
	if err := l.sockets[iopub].Subscribe(""); err != nil {
		return fmt.Errorf("subscribe to its channel %s: %w", iopub, err)
	}
	return nil
}

// The first and the longest pause between two attempts to connect.
const firstTry, lastTry = 2 * time.Millisecond, 50 * time.Millisecond

func (l *link) dial(ctx context.Context, ch channel) (*zmtp.Conn, error) {
	cfg := zmtp.Config{Kind: zmtp.Dealer, Identity: l.signer.session, MaxMessage: l.most}
	switch ch {
	case iopub:
		cfg.Kind, cfg.Identity = zmtp.Sub, ""
	case heartbeat:
		cfg.Kind, cfg.Identity = zmtp.Req, ""
	}
	cfg.Network, cfg.Address = l.place.address(ch)
	for pause := firstTry; ; pause = min(2*pause, lastTry) {
		conn, err := dialSocket(ctx, cfg)
		if err == nil {
			return conn, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-l.process.exited:
			return nil, errEnded
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		}
	}
}

// listen starts to read the channels. lost is called when one breaks.
func (l *link) listen(lost func(error)) {
	for _, ch := range []channel{shell, control, stdin, iopub} {
		l.readers.Go(func() { l.read(ch, lost) })
	}
	go func() {
		<-l.process.exited
		for _, conn := range l.sockets { // a process that it started may hold them open
			_ = conn.SetReadDeadline(time.Now().Add(lastWords))
		}
	}()
}

// read moves messages from a channel to the inbox and does nothing else: most kernels drop
// handlePublished messages after some 1,000 that are not read.
func (l *link) read(ch channel, lost func(error)) {
	for {
		parts, err := l.sockets[ch].Receive()
		var large *zmtp.TooLargeError
		switch {
		case errors.As(err, &large):
			l.inbox.put(item{stream: lang.Stderr, text: fmt.Sprintf("[an output was left out: %v]\n", large)})
			continue
		case err != nil:
			lost(fmt.Errorf("its channel %s: %w", ch, err))
			return
		}
		l.inbox.put(item{channel: ch, parts: parts})
		if ch == iopub {
			l.inbox.wait()
		}
	}
}

// send sends a message and returns its id.
func (l *link) send(ch channel, kind string, parent *header, content any) (string, error) {
	parts, id, err := l.signer.seal(kind, parent, content)
	if err != nil {
		return "", err
	}
	return id, l.sendSealed(ch, parts)
}

func (l *link) sendSealed(ch channel, parts [][]byte) error {
	return l.sockets[ch].Send(parts...)
}

// close releases everything, once the process has ended.
func (l *link) close() error {
	l.inbox.release()
	for _, conn := range l.sockets {
		_ = conn.Close()
	}
	l.readers.Wait()
	l.process.closeFiles()
	return l.place.remove()
}
