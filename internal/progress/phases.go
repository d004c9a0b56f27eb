package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Phases prints the current phase of a long computation: after a second, and then every five seconds. It is for
// computations that can't tell how far they are. Other output must go through Write, so that lines stay whole.
type Phases struct {
	mu    sync.Mutex
	w     io.Writer
	phase string
	start time.Time
	done  chan struct{}
}

// firstLine is the delay of the first line; a shorter computation prints nothing.
const firstLine = time.Second

// Begin starts printing on w. Stop ends it.
func Begin(w io.Writer, phase string) *Phases { return begin(w, phase, firstLine) }

func begin(w io.Writer, phase string, first time.Duration) *Phases {
	p := &Phases{w: w, phase: phase, start: time.Now(), done: make(chan struct{})}
	go p.print(first)
	return p
}

// Phase sets the current phase. A nil Phases prints nothing.
func (p *Phases) Phase(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase = fmt.Sprintf(format, args...)
}

// Stop ends the printing.
func (p *Phases) Stop() { close(p.done) }

// Write writes text to the same writer.
func (p *Phases) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.w.Write(text)
}

func (p *Phases) print(next time.Duration) {
	for {
		select {
		case <-p.done:
			return
		case <-time.After(next):
		}
		p.mu.Lock()
		fmt.Fprintf(p.w, "%s, %s so far\n", p.phase, time.Since(p.start).Round(time.Second))
		p.mu.Unlock()
		next = every
	}
}
