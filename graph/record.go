package graph

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Records of the kernels that runs lacked. The input is the tasks of a run and their times, the output lines of text
// from which genkernels makes the kernels. A program whose kernels are all generated records and measures nothing.

// RecordEnv is the environment variable that names a file for Record: every program that the process compiles appends
// to it. Processes may share the file.
const RecordEnv = "STRIDEFUSE_RECORD"

// Record appends a line to w for each kernel that was not generated, so that a run replaced it by a tiling or assembled
// it. genkernels -from generates the kernels of such a file. A line is the kernel's signature and, after tabs, the bytes, time and
// number of runs of its loops since the last line:
//
//	kernel (u0:f32, s1:f32) { t0 = mul u0 s1; t1 = tanh t0; store t1 }	bytes=8000	ns=5210	runs=1
//
// Lines are written after runs 1, 2, 4, 8 and so on of those that lack a kernel, so a long process writes few. Several
// programs may share one Option; they write one at a time. A failing write is reported once on standard error and does
// not fail the run.
func Record(w io.Writer) Option {
	r := &recorder{w: w}
	return func(s *settings) {
		if w != nil {
			s.recorders = append(s.recorders, r)
		}
	}
}

// recorder writes the lines of several programs to one writer.
type recorder struct {
	mu     sync.Mutex
	w      io.Writer
	failed bool
}

func (r *recorder) write(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed {
		return
	}
	if _, err := io.WriteString(r.w, text); err != nil {
		r.failed = true
		fmt.Fprintf(os.Stderr, "record of kernels: %v\n", err)
	}
}

// environment returns the recorder of RecordEnv, or nil.
var environment = sync.OnceValue(func() *recorder {
	file := os.Getenv(RecordEnv)
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", RecordEnv, err)
		return nil
	}
	return &recorder{w: f}
})

// missed returns the function that records the runs of a plan that lacks kernels: see program.Observe.
func (s *settings) missed() func(*plan.Plan, *nest.Program) func(took []time.Duration) {
	recorders := s.recorders
	if e := environment(); e != nil && !s.hidden {
		recorders = append(recorders, e)
	}
	if len(recorders) == 0 {
		return nil
	}
	r := &record{to: recorders, lacked: map[string]*lacked{}}
	return func(pl *plan.Plan, nests *nest.Program) func(took []time.Duration) {
		kernels := missedBy(pl, nests)
		if len(kernels) == 0 {
			return nil
		}
		return func(took []time.Duration) { r.add(kernels, took) }
	}
}

// missed is a kernel that the runs of a binding lack.
type missed struct {
	signature string
	bytes     int // bytes that its steps move in one run
	steps     []int
}

// missedBy returns the kernels that a schedule replaces by tilings.
func missedBy(pl *plan.Plan, nests *nest.Program) []missed {
	var out []missed
	for i := range nests.Tasks {
		t := &nests.Tasks[i]
		for k, c := range t.Choices {
			if c.Kernels < 2 && !program.IsAssembled(&c) {
				continue
			}
			at := slices.IndexFunc(out, func(m missed) bool { return m.signature == c.Kernel })
			if at < 0 {
				at, out = len(out), append(out, missed{signature: c.Kernel})
			}
			read, written := pl.Traffic(t.First + k)
			out[at].bytes += read + written
			out[at].steps = append(out[at].steps, t.First+k)
		}
	}
	return out
}

// record sums up the runs of a program that lacked kernels, for all sizes.
type record struct {
	to     []*recorder
	mu     sync.Mutex
	runs   int // all runs so far
	lacked map[string]*lacked
}

// lacked is what the runs since the last line lost for want of a kernel.
type lacked struct {
	bytes, runs int
	took        time.Duration
}

// add adds a run with the times of its steps, and writes lines when it is time to.
func (r *record) add(kernels []missed, took []time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range kernels {
		m := &kernels[i]
		l := r.lacked[m.signature]
		if l == nil {
			l = &lacked{}
			r.lacked[m.signature] = l
		}
		l.bytes, l.runs = l.bytes+m.bytes, l.runs+1
		for _, s := range m.steps {
			l.took += took[s]
		}
	}
	if r.runs++; r.runs&(r.runs-1) != 0 { // not a power of 2
		return
	}
	var lines bytes.Buffer
	for _, signature := range slices.Sorted(maps.Keys(r.lacked)) {
		l := r.lacked[signature]
		fmt.Fprintf(&lines, "%s\tbytes=%d\tns=%d\truns=%d\n", signature, l.bytes, l.took.Nanoseconds(), l.runs)
	}
	clear(r.lacked)
	for _, to := range r.to {
		to.write(lines.String())
	}
}
