package stream

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/graph"
)

// Job is a program and the arrays that it runs on. A Job runs once at a time.
type Job struct {
	Program *graph.Program
	// Inputs has a Source for each input of the program, by name. The inputs whose first axis
	// is Size are read in blocks, the others as a whole before the first block.
	Inputs map[string]Source
	// Outputs has a Sink for each output that has rows, by name. One for another output is
	// allowed, and written at the end.
	Outputs map[string]Sink
	// Size is the name of the number of rows. It may be empty if the first axes of inputs have
	// one name only.
	Size string
	// Memory is how many bytes the job may take: DefaultMemory if it is 0. The program itself
	// and Go's runtime take some 20 MB more.
	Memory int
	// Rows is about how many rows a block has; if it is 0, as many as suit caches and Memory.
	Rows int
	// State is a folder from which a job that was killed continues. Without it nothing is
	// kept but outputs. The State of a job with another program, other inputs, other sizes
	// of blocks or another choice of graph.WithFast is an error. A Source that is not Identified
	// must give the same rows as before: otherwise the outputs mix rows of both. One process
	// at a time uses it, or one for each range of Shard; others get ErrInUse.
	State string
	// Progress is called after each block, by one goroutine at a time.
	Progress func(Progress)
	// Options are for the compilation of the programs for blocks, such as graph.WithWorkers.
	Options []graph.Option
}

// DefaultMemory is the bound of a Job that has none.
const DefaultMemory = 1 << 30

// Progress says how far a job is.
type Progress struct {
	Pass, Passes  int // the first pass is 0
	Block, Blocks int // of the pass: how many are complete, of how many
	Rows          int // that have been read by this run, in all passes
	Read, Written int // bytes, by this run
	Elapsed       time.Duration
}

// String returns one line: the pass, the block, how much has been read, and how fast.
func (p Progress) String() string {
	rate := float64(p.Read) / max(p.Elapsed.Seconds(), 1e-9)
	return fmt.Sprintf("pass %d of %d, block %d of %d, %.2f GB at %.2f GB/s", p.Pass+1, p.Passes, p.Block, p.Blocks, float64(p.Read)/1e9, rate/1e9)
}

// Run computes the outputs. It returns those without rows, by name. A mistake in the program
// or in the arrays, a job that needs more memory than it may take, and what can't be computed
// by blocks are errors before the first block. After an error or the end of ctx, and after
// the process was killed, Run continues if the job has a State.
func (j *Job) Run(ctx context.Context) (map[string]*graph.Tensor, error) {
	return j.with(ctx, 0, 1, (*run).complete)
}

// Shard computes the blocks of range i of n ranges, for a job whose State and Outputs are
// shared by all: each range may be computed by another process, at the same time or not, and
// again. A program of several passes takes a round of all ranges for each: a range whose
// pass depends on ranges that are not complete does nothing and returns an error that wraps
// ErrIncomplete. Then Merge completes the job.
func (j *Job) Shard(ctx context.Context, i, n int) error {
	if n < 1 || i < 0 || i >= n {
		return fmt.Errorf("stream: range %d of %d: ranges are numbered 0 to n-1", i, n)
	}
	if j.State == "" {
		return fmt.Errorf("stream: a job in ranges needs a State that they share")
	}
	_, err := j.with(ctx, i, n, func(r *run, ctx context.Context) (map[string]*graph.Tensor, error) {
		return nil, r.shardPass(ctx)
	})
	return err
}

// Merge returns what Run returns, of a job whose n ranges have been computed by Shard. If
// one is not complete the error wraps ErrIncomplete and names it.
func (j *Job) Merge(ctx context.Context, n int) (map[string]*graph.Tensor, error) {
	if n < 1 || j.State == "" {
		return nil, fmt.Errorf("stream: merge of %d ranges with the state %q: there are 1 or more, with a state that they share", n, j.State)
	}
	return j.with(ctx, -1, n, (*run).complete)
}

// with calls f with a run of a range, of no range if shard is negative.
func (j *Job) with(ctx context.Context, shard, shards int, f func(*run, context.Context) (map[string]*graph.Tensor, error)) (out map[string]*graph.Tensor, err error) {
	defer func() {
		if err != nil && !strings.HasPrefix(err.Error(), "stream: ") {
			err = fmt.Errorf("stream: %w", err)
		}
	}()
	defer j.close()
	p, err := j.prepare()
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, j, p, shard, shards)
	if err != nil {
		return nil, err
	}
	defer r.close()
	return f(r, ctx)
}

func (j *Job) close() {
	for _, name := range slices.Sorted(maps.Keys(j.Inputs)) {
		if s := j.Inputs[name]; s != nil {
			s.Close()
		}
	}
}

// Plan returns as text how the job would run: passes, blocks, memory.
func (j *Job) Plan() (string, error) {
	defer j.close()
	p, err := j.prepare()
	if err != nil {
		return "", fmt.Errorf("stream: %w", err)
	}
	return p.String(), nil
}
