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
	// Inputs has a Source for each input of the program, by name. Inputs whose first axis is Size are read in blocks,
	// other inputs as a whole before the first block.
	Inputs map[string]Source
	// Outputs has a Sink for each output with rows, by name. A Sink for any other output is optional; it is written at
	// the end.
	Outputs map[string]Sink
	// Size is the name of the number of rows. It may be empty if the first axes of inputs have only one name.
	Size string
	// Memory is the memory in bytes that the job may take; 0 means DefaultMemory. The program itself and Go's runtime
	// take about 20 MB more.
	Memory int
	// Rows is the approximate number of rows of a block. If it is 0, the size of caches and Memory decide.
	Rows int
	// State is a folder from which a killed job continues. Without it only outputs are kept. It is an error if the
	// State belongs to a job with another program, other inputs, another block size or another choice of
	// graph.WithFast. A Source that is not Identified must give the same rows as before, or the outputs mix old and new
	// rows. One process uses the folder at a time, or one for each range of Shard; others get ErrInUse.
	State string
	// Progress is called after each block, by one goroutine at a time.
	Progress func(Progress)
	// Options are used to compile the programs for blocks, such as graph.WithWorkers.
	Options []graph.Option
}

// DefaultMemory is the memory bound of a Job without one.
const DefaultMemory = 1 << 30

// Progress says how far a job is.
type Progress struct {
	Pass, Passes  int // from 0
	Block, Blocks int // number of complete blocks of the pass, and of all its blocks
	Rows          int // rows read by this run, in all passes
	Read, Written int // bytes read and written by this run
	Elapsed       time.Duration
}

// String returns the progress in one line: the pass, the block, how much has been read, and how fast.
func (p Progress) String() string {
	rate := float64(p.Read) / max(p.Elapsed.Seconds(), 1e-9)
	return fmt.Sprintf("pass %d of %d, block %d of %d, %.2f GB at %.2f GB/s", p.Pass+1, p.Passes, p.Block, p.Blocks, float64(p.Read)/1e9, rate/1e9)
}

// Run computes the outputs and returns those without rows, by name. Before the first block it returns errors of the
// program and the arrays, of too little Memory, and of operations that can't be computed by blocks. After an error, the
// end of ctx, or the death of the process, another Run continues if the job has a State.
func (j *Job) Run(ctx context.Context) (map[string]*graph.Tensor, error) {
	return j.with(ctx, 0, 1, (*run).complete)
}

// Shard computes the blocks of range i of n, for a job whose State and Outputs are shared by all ranges. Each range may
// be computed by another process, concurrently or not, and repeatedly. A program of several passes takes one round of
// all ranges for each pass: a range that depends on incomplete ranges does nothing and returns an error that wraps
// ErrIncomplete. Merge completes the job.
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

// Merge completes a job whose n ranges Shard has computed, and returns what Run returns. If a range is incomplete, the
// error wraps ErrIncomplete and names it.
func (j *Job) Merge(ctx context.Context, n int) (map[string]*graph.Tensor, error) {
	if n < 1 || j.State == "" {
		return nil, fmt.Errorf("stream: merge of %d ranges with the state %q: there are 1 or more, with a state that they share", n, j.State)
	}
	return j.with(ctx, -1, n, (*run).complete)
}

// with calls f with a run of a range, or of no range if shard is negative.
func (j *Job) with(ctx context.Context, shard, shards int, f func(*run, context.Context) (map[string]*graph.Tensor, error)) (out map[string]*graph.Tensor, err error) {
	defer func() {
		if err != nil && !strings.HasPrefix(err.Error(), "stream: ") {
			err = fmt.Errorf("stream: %w", err)
		}
	}()
	defer j.close()
	if ctx == nil {
		return nil, fmt.Errorf("the context is nil: give it context.Background()")
	}
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

// Plan describes as text how the job would run: passes, blocks, memory.
func (j *Job) Plan() (string, error) {
	defer j.close()
	p, err := j.prepare()
	if err != nil {
		return "", fmt.Errorf("stream: %w", err)
	}
	return p.String(), nil
}
