//go:build linux

package faults_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/e2e/stage"
)

// strike has one fault happen and heals it. Its error says that the harness failed, or
// the server to start.
func (p *playing) strike(k strike) error {
	b := p.books[k.draw%len(p.books)]
	draw := k.draw / len(p.books)
	for range 50 { // a fault tells more while a program runs
		if b.isRunning() {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	during := b.isRunning()
	struck, err := p.inflict(k, b, draw)
	p.tally.struck(k.kind, struck, during)
	return err
}

// inflict does it. It returns why the fault cannot be had on this machine, or nothing
// and no error if there was no process for it.
func (p *playing) inflict(k strike, b *book, draw int) (struck string, err error) {
	switch k.kind {
	case serverKilled:
		return yes, p.killServer(k.lasts)
	case serverFrozen:
		return freeze(p.house.process(), k.lasts), nil
	case runtimeKilled:
		return p.killRuntimes(b, draw)
	case runtimeFrozen:
		for _, a := range stage.Runtimes(p.house.dir, b.id) {
			return freeze(a.Process, k.lasts), nil
		}
		return no, nil
	case engineKilled:
		return p.killEngine(b, draw, k.lasts), nil
	case engineFrozen:
		for _, a := range stage.Runtimes(p.house.dir, b.id) {
			for _, engine := range a.Engines() {
				return freeze(engine, k.lasts), nil
			}
		}
		return no, nil
	case clientKilled:
		return yes, b.people[draw%len(b.people)].kill(k.lasts)
	case networkCut, networkSlow:
		p.disturb(k, b, draw)
		return yes, nil
	case clockWrong:
		return yes, p.setClock(draw, k.lasts)
	}
	return p.hurtDisk(k, draw)
}

// What became of a strike; anything else says why there can be none here.
const (
	yes = "yes"
	no  = "no process"
)

func freeze(of *os.Process, lasts time.Duration) string {
	if of.Signal(syscall.SIGSTOP) != nil {
		return no
	}
	time.Sleep(lasts)
	_ = of.Signal(syscall.SIGCONT) // it may have been killed
	return yes
}

// killServer kills the server and starts it again after some time.
func (p *playing) killServer(away time.Duration) error {
	p.house.replacing.Lock()
	defer p.house.replacing.Unlock()
	if _, err := p.house.end(context.Background(), syscall.SIGKILL); err != nil {
		return err
	}
	time.Sleep(away)
	return p.house.start(p.mayFail)
}

// mayFail reports whether the disk was in a state in which programs fail.
func (p *playing) mayFail() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.diskHurt
}

// killRuntimes kills the runtimes of a notebook. Half of the time somebody starts
// another one by hand at once; else the server has to find out.
func (p *playing) killRuntimes(b *book, draw int) (string, error) {
	found := stage.Runtimes(p.house.dir, b.id)
	p.mu.Lock()
	for _, a := range found {
		p.killed[event.RuntimeID(a.ID)] = true
	}
	p.mu.Unlock()
	for _, a := range found {
		_ = a.Kill() // it may have ended by itself, when it was displaced
	}
	if len(found) == 0 {
		return no, nil
	}
	if draw%2 == 0 {
		return yes, nil
	}
	return yes, p.startByHand(b)
}

// wasKilled reports whether a runtime was killed.
func (p *playing) wasKilled(id event.RuntimeID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed[id]
}

// startByHand starts a runtime as a person would.
func (p *playing) startByHand(b *book) error {
	p.mu.Lock()
	p.hands++
	runtime := fmt.Sprintf("hand%d", p.hands)
	p.mu.Unlock()
	log, err := os.Create(filepath.Join(b.files, runtime+".log"))
	if err != nil {
		return err
	}
	cmd := exec.Command(p.house.binary, "runtime", "--notebook", b.id, "--runtime", runtime, "--python", built.python)
	cmd.Env = append(slices.Clone(p.house.environ), "QUIRE_DATA="+p.house.dir)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.files, log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	p.byHand.Go(func() {
		_ = cmd.Wait() // it is killed, or displaced by the next one
		_ = log.Close()
	})
	return nil
}

// killEngine kills an engine, half of the time while its runtime is frozen, which then
// has much to read when it looks again.
func (p *playing) killEngine(b *book, draw int, lasts time.Duration) string {
	for _, a := range stage.Runtimes(p.house.dir, b.id) {
		for _, engine := range a.Engines() {
			if draw%2 == 0 {
				_ = a.Signal(syscall.SIGSTOP) // it may have ended
				time.Sleep(lasts)
				defer func() { _ = a.Signal(syscall.SIGCONT) }()
			}
			p.mu.Lock()
			b.engines++
			p.mu.Unlock()
			if engine.Kill() == nil {
				return yes
			}
		}
	}
	return no
}

// disturb breaks or slows the network of a notebook's runtimes, its people, or both.
func (p *playing) disturb(k strike, b *book, draw int) {
	way := draw / 4
	var ways []*network
	if draw%4 != 0 {
		ways = append(ways, p.runtimes)
	}
	if draw%4 < 2 {
		ways = append(ways, p.people)
	}
	done := make(chan struct{})
	for _, n := range ways {
		go func() {
			defer func() { done <- struct{}{} }()
			if k.kind == networkSlow {
				n.slow(b.id, time.Duration(5+way%60)*time.Millisecond, k.lasts)
				return
			}
			p.tally.cut(n.cut(b.id, way, k.lasts))
		}()
	}
	for range ways {
		<-done
	}
}

// jumps are the times, in milliseconds, by which a clock is wrong.
var jumps = []int{-86_400_000, -3_600_000, -10_000, -1_000, 1_000, 10_000, 3_600_000, 86_400_000}

// setClock has the server's clock be wrong for some time.
func (p *playing) setClock(draw int, lasts time.Duration) error {
	if err := p.writeClock(jumps[draw%len(jumps)]); err != nil {
		return err
	}
	time.Sleep(lasts)
	return p.writeClock(0)
}

func (p *playing) writeClock(by int) error {
	if err := os.WriteFile(p.clock+".new", []byte(strconv.Itoa(by)), 0o600); err != nil {
		return err
	}
	return os.Rename(p.clock+".new", p.clock)
}

// hurtDisk fills, slows or breaks the disk.
func (p *playing) hurtDisk(k strike, draw int) (string, error) {
	switch k.kind {
	case diskSlow:
		return p.trace(fmt.Sprintf("delay_enter=%dms", 5+draw%100), k.lasts), nil
	case diskBroken:
		p.noteDisk()
		return p.trace("error=EIO", k.lasts), nil
	}
	if p.noDisk != nil {
		return p.noDisk.Error(), nil
	}
	p.noteDisk()
	return yes, fill(filepath.Dir(p.house.dir), k.lasts)
}

// trace interferes with how the server syncs its files. One process at a time can.
func (p *playing) trace(inject string, lasts time.Duration) string {
	p.tracing.Lock()
	defer p.tracing.Unlock()
	if err := trace(p.house.process(), inject, lasts); err != nil {
		return err.Error()
	}
	return yes
}

func (p *playing) noteDisk() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.diskHurt = true
}
