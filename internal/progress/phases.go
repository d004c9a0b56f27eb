package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Phases prints which phase of a long computation runs: after a second, and then every five.
// It is for computations that can't tell which part is done. A write by another goroutine
// goes through Write, so that lines stay whole.
type Phases struct {
	mu    sync.Mutex
	w     io.Writer
	phase string
	start time.Time
	done  chan struct{}
}

// firstLine is when the first line is printed: what ends sooner prints nothing.
const firstLine = time.Second

// Begin starts a computation that prints on w. Stop ends it.
func Begin(w io.Writer, phase string) *Phases { return begin(w, phase, firstLine) }

func begin(w io.Writer, phase string, first time.Duration) *Phases {
	p := &Phases{w: w, phase: phase, start: time.Now(), done: make(chan struct{})}
	go p.print(first)
	return p
}

// Phase says what runs from now on. A nil Phases prints nothing.
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

// Write writes to the same place.
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
