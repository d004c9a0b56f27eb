package beam

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/stridefuse/stridefuse/stream"
)

func init() {
	register.DoFn2x0[[]byte, func(int)](&listFn{})
	register.DoFn3x2[context.Context, int, Totals, Parts, error](&blockFn{})
	register.DoFn3x2[context.Context, Parts, Totals, Totals, error](&finishFn{})
	register.DoFn2x2[context.Context, Totals, Totals, error](&commitFn{})
	register.Combiner1[Parts](&joinFn{})
	register.Emitter1[int]()
}

// Totals are the values known after a pass.
type Totals struct{ Data []byte }

// Parts are the contributions of blocks to the totals of a pass, in ascending order.
type Parts struct {
	Blocks []int
	Data   [][]byte
}

// Run runs a job on the named runner, whose package the program imports: "prism" is .../go/pkg/beam/runners/prism.
// Outputs are complete when it returns.
func Run(ctx context.Context, runner string, spec *Spec) error {
	p, s := beam.NewPipelineWithRoot()
	if _, err := Apply(s, spec); err != nil {
		return err
	}
	if _, err := beam.Run(ctx, runner, p); err != nil {
		return fmt.Errorf("beam: %w", err)
	}
	return nil
}

// Apply adds a job to a pipeline. It opens the inputs, and returns an error if the job is wrong. The returned
// collection gets one element, Totals, once all outputs are complete.
func Apply(s beam.Scope, spec *Spec) (beam.PCollection, error) {
	tasks, err := spec.tasks(context.Background())
	if err != nil {
		return beam.PCollection{}, err
	}
	defer tasks.Close()
	text, err := json.Marshal(job{spec, rand.Text()})
	if err != nil {
		return beam.PCollection{}, fmt.Errorf("beam: %w", err)
	}
	s = s.Scope("stridefuse")
	blocks := beam.Reshuffle(s, beam.ParDo(s, &listFn{tasks.Blocks()}, beam.Impulse(s)))
	totals := beam.Create(s, Totals{})
	for pass := range tasks.Passes() {
		s := s.Scope(fmt.Sprintf("pass %d", pass))
		known := beam.SideInput{Input: totals}
		parts := beam.Combine(s, &joinFn{}, beam.ParDo(s, &blockFn{text, pass}, blocks, known))
		totals = beam.ParDo(s, &finishFn{text, pass}, parts, known)
	}
	return beam.ParDo(s, &commitFn{text}, totals), nil
}

// listFn emits the numbers of blocks.
type listFn struct{ Count int }

func (f *listFn) ProcessElement(_ []byte, emit func(int)) {
	for i := range f.Count {
		emit(i)
	}
}

// blockFn computes a block of a pass.
type blockFn struct {
	Spec []byte
	Pass int
}

func (f *blockFn) ProcessElement(ctx context.Context, block int, totals Totals) (Parts, error) {
	var part []byte
	err := onWorker(ctx, f.Spec, func(t *stream.Tasks) (err error) {
		part, err = t.Block(ctx, f.Pass, block, totals.Data)
		return err
	})
	return Parts{[]int{block}, [][]byte{part}}, err
}

// joinFn sorts parts by block.
type joinFn struct{}

func (*joinFn) CreateAccumulator() Parts { return Parts{} }

func (f *joinFn) AddInput(a, b Parts) Parts { return f.MergeAccumulators(a, b) }

// MergeAccumulators merges two ascending lists. A block that was computed twice has equal parts.
func (*joinFn) MergeAccumulators(a, b Parts) Parts {
	var out Parts
	for len(a.Blocks)+len(b.Blocks) > 0 {
		next := &a
		if len(a.Blocks) == 0 || len(b.Blocks) > 0 && b.Blocks[0] < a.Blocks[0] {
			next = &b
		}
		block, data := next.Blocks[0], next.Data[0]
		next.Blocks, next.Data = next.Blocks[1:], next.Data[1:]
		if n := len(out.Blocks); n == 0 || out.Blocks[n-1] != block {
			out.Blocks, out.Data = append(out.Blocks, block), append(out.Data, data)
		}
	}
	return out
}

// finishFn reduces the parts of a pass.
type finishFn struct {
	Spec []byte
	Pass int
}

func (f *finishFn) ProcessElement(ctx context.Context, parts Parts, totals Totals) (Totals, error) {
	var out Totals
	err := onWorker(ctx, f.Spec, func(t *stream.Tasks) (err error) {
		out.Data, err = t.Finish(ctx, f.Pass, parts.Data, totals.Data)
		return err
	})
	return out, err
}

// commitFn completes the outputs.
type commitFn struct{ Spec []byte }

func (f *commitFn) ProcessElement(ctx context.Context, totals Totals) (Totals, error) {
	err := onWorker(ctx, f.Spec, func(t *stream.Tasks) error {
		_, err := t.Results(ctx, totals.Data)
		return err
	})
	return totals, errors.Join(err, leave(f.Spec))
}

// job is a Spec in one pipeline. Run distinguishes it from the same Spec in others.
type job struct {
	*Spec
	Run string
}

// worker has the job that this process takes part in. One task runs at a time.
var worker struct {
	sync.Mutex
	job   string
	tasks *stream.Tasks
}

// onWorker calls f with a job. Bundles of one job arrive in sequence, so only the last job is kept.
func onWorker(ctx context.Context, text []byte, f func(*stream.Tasks) error) error {
	worker.Lock()
	defer worker.Unlock()
	if worker.tasks == nil || worker.job != string(text) {
		var j job
		if err := json.Unmarshal(text, &j); err != nil {
			return fmt.Errorf("beam: the job: %w", err)
		}
		tasks, err := j.tasks(ctx)
		if err != nil {
			return err
		}
		if worker.tasks != nil {
			worker.tasks.Close()
		}
		worker.job, worker.tasks = string(text), tasks
	}
	return f(worker.tasks)
}

// leave ends the worker's part in a job.
func leave(text []byte) error {
	worker.Lock()
	defer worker.Unlock()
	if worker.tasks == nil || worker.job != string(text) {
		return nil
	}
	t := worker.tasks
	worker.job, worker.tasks = "", nil
	return t.Close()
}
