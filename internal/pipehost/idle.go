package pipehost

// Idle reads output between two runs.
type Idle struct {
	stopped chan struct{}
	done    chan struct{}
}

// StartIdle passes the messages of next to handle until next fails. The process waits for it at its end.
func StartIdle[M any](p *Process, next func(stop <-chan struct{}) (M, error), handle func(M)) *Idle {
	i := &Idle{stopped: make(chan struct{}), done: make(chan struct{})}
	p.consume(func() {
		defer close(i.done)
		for {
			message, err := next(i.stopped)
			if err != nil {
				return
			}
			handle(message)
		}
	})
	return i
}

// Stop ends the reading.
func (i *Idle) Stop() {
	close(i.stopped)
	<-i.done
}

// Done is closed when the reading has ended, because it was stopped or all pipes have ended.
func (i *Idle) Done() <-chan struct{} { return i.done }
