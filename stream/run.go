package stream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// ErrIncomplete is the error when blocks of other ranges are missing.
var ErrIncomplete = errors.New("blocks are not complete")

// run is the state of a running job: pass after pass, over a range of the blocks.
type run struct {
	*plan
	job     *Job
	shard   int // number of the range, or -1 to compute no blocks
	shards  int
	digest  string
	locks   locks
	journal *journal
	sinks   []Sink                // sinks of the results, nil for a result without one
	whole   map[int]*graph.Tensor // known values without rows, by number
	done    []map[int]entry       // for each pass, the complete blocks
	parts   [][]*graph.Tensor     // parts of each block of the pass
	states  [][]*graph.Tensor     // states of the pass after the last block of each range
	told    Progress
	begun   time.Time
}

func newRun(ctx context.Context, j *Job, p *plan, shard, shards int) (*run, error) {
	r := &run{plan: p, job: j, shard: shard, shards: shards, whole: p.whole, begun: time.Now(), sinks: make([]Sink, len(p.outputs))}
	if shards > 1 {
		if err := p.checkRanges(); err != nil {
			return nil, err
		}
	}
	if err := p.readWhole(ctx, j); err != nil {
		return nil, err
	}
	if j.State != "" {
		r.digest = r.identity()
	}
	for range p.passes {
		r.done = append(r.done, map[int]entry{})
	}
	if err := r.open(); err != nil {
		return nil, errors.Join(err, r.close())
	}
	for i, out := range p.outputs {
		s := j.Outputs[out.Name]
		if s == nil {
			continue
		}
		t := p.division.Result(i)
		shape, _ := t.Shape.Ints()
		if err := s.Create(t.DType, shape); err != nil {
			return nil, errors.Join(fmt.Errorf("output %s: %w", out.Name, err), r.close())
		}
		r.sinks[i] = s
	}
	if err := r.finish(ctx, -1); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// open locks the state, reads the journals of all ranges, and opens the journal of the run's own range.
func (r *run) open() (err error) {
	r.journal = &journal{folder: r.job.State}
	if r.locks, err = lockState(r.job.State, r.shard, r.shards); err != nil {
		return err
	}
	if r.shard >= 0 {
		if r.journal, err = openJournal(r.job.State, r.shard, r.shards, r.digest); err != nil {
			return err
		}
	}
	if r.job.State == "" {
		return nil
	}
	for shard := range r.shards {
		entries, _, err := readJournal(r.job.State, shard, r.shards, r.digest)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Pass < 0 || e.Pass >= len(r.done) || e.Block < 0 || e.Block >= r.count {
				return fmt.Errorf("%s: it names block %d of pass %d: there are %d blocks and %d passes. Remove %s to begin anew",
					journalName(r.job.State, shard, r.shards), e.Block, e.Pass, r.count, len(r.done), r.job.State)
			}
			r.done[e.Pass][e.Block] = e
		}
	}
	return nil
}

func (r *run) close() error {
	var errs []error
	for _, s := range r.sinks {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if r.journal != nil {
		errs = append(errs, r.journal.close())
	}
	errs = append(errs, r.locks.close())
	return errors.Join(errs...)
}

// checkRanges returns an error that names an op for which ranges of blocks can't be computed independently.
func (p *plan) checkRanges() error {
	for _, pass := range p.passes {
		for _, s := range pass.last.States {
			if v := s.Ordered; v != nil {
				return &ir.Error{Pos: v.Pos, Op: v.Called(), Msg: "each block needs the result of the block before, so ranges of blocks can't be computed apart"}
			}
		}
	}
	return nil
}

// identity returns a checksum of everything that determines the results: the program, the inputs, the blocks, and the
// option WithFast.
func (r *run) identity() string {
	h := sha256.New()
	f := r.fn.Clone()
	for _, v := range slices.Concat(f.Params, f.Body) {
		v.Pos = ir.Pos{} // lines of the source may move without changing results
	}
	fmt.Fprintln(h, f, r.fast(), r.size, r.shapes, r.rows, r.count, r.shards)
	for i := range len(r.inputs) + len(r.captured) {
		if t := r.whole[i]; t != nil {
			fmt.Fprintln(h, i, tensorSum(t.Contiguous()))
		} else if s, ok := r.job.Inputs[r.inputs[i].Name].(Identified); ok {
			fmt.Fprintln(h, i, s.Identity())
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// fast reports whether the programs for blocks use the fast elementary functions.
func (r *run) fast() bool {
	return slices.ContainsFunc(r.passes, func(p pass) bool {
		f, _ := p.last.program.Func()
		return f.Fast
	})
}

// span returns the blocks of a range.
func (r *run) span(shard int) (first, end int) {
	if shard < 0 {
		return 0, 0
	}
	return shard * r.count / r.shards, (shard + 1) * r.count / r.shards
}

// complete computes the missing blocks of the run's range, and finishes the job.
func (r *run) complete(ctx context.Context) (map[string]*graph.Tensor, error) {
	for pass := range r.passes {
		if _, err := r.runPass(ctx, pass); err != nil {
			return nil, err
		}
		if err := r.gather(ctx, pass); err != nil {
			return nil, err
		}
		if err := r.finish(ctx, pass); err != nil {
			return nil, err
		}
	}
	return r.results(ctx)
}

// shardPass computes the missing blocks of the range in the first incomplete pass.
func (r *run) shardPass(ctx context.Context) error {
	for pass := range r.passes {
		computed, err := r.runPass(ctx, pass)
		if err != nil {
			return err
		}
		if pass == len(r.passes)-1 {
			return nil
		}
		if err := r.gather(ctx, pass); err != nil {
			if computed > 0 && errors.Is(err, ErrIncomplete) {
				return nil // the work of this round is done
			}
			return err
		}
		if err := r.finish(ctx, pass); err != nil {
			return err
		}
	}
	return nil
}

// results collects the results without rows, writes those that have a sink, and commits all sinks.
func (r *run) results(ctx context.Context) (map[string]*graph.Tensor, error) {
	out := map[string]*graph.Tensor{}
	for i, port := range r.outputs {
		if _, ok := r.division.Rows(i); !ok {
			t := r.whole[r.division.ID(i)]
			out[port.Name] = t
			if s := r.sinks[i]; s != nil {
				if err := s.Write(ctx, 0, t); err != nil {
					return nil, fmt.Errorf("output %s: %w", port.Name, err)
				}
			}
		}
		if s := r.sinks[i]; s != nil {
			if err := s.Commit(); err != nil {
				return nil, fmt.Errorf("output %s: %w", port.Name, err)
			}
		}
	}
	return out, r.clear()
}
