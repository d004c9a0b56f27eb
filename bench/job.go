package main

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// job is a compiled formula with its arguments and its expected result.
type job struct {
	program *graph.Program
	ins     []*graph.Tensor
	work    work
	known   known
	dtype   graph.DType
	shape   []int
	old     *graph.Tensor // result of RunInto, nil before the first run
}

// newJob compiles a formula for given inputs and a value of its size n.
func newJob(y graph.Node, n int, ins []*graph.Tensor, w work, k known, opts ...graph.Item) (*job, error) {
	p, err := graph.Compile(append(opts, y)...)
	if err != nil {
		return nil, err
	}
	port := p.Outputs()[0]
	shape, err := port.Shape.Bind(map[string]int{"n": n})
	if err != nil {
		return nil, err
	}
	dims, _ := shape.Ints()
	return &job{program: p, ins: ins, work: w, known: k, dtype: port.DType, shape: dims}, nil
}

// out allocates a result.
func (j *job) out() *graph.Tensor {
	if j.old == nil {
		j.old = graph.Zeros(j.dtype, j.shape...)
	}
	return j.old
}

// jobs compiles a formula with each of some options; nil means none.
func jobs(y graph.Node, n int, ins []*graph.Tensor, w work, k known, threads int, options ...graph.Option) (js []*job, err error) {
	for _, o := range options {
		opts := []graph.Item{graph.WithWorkers(threads)}
		if o != nil {
			opts = append(opts, o)
		}
		j, err := newJob(y, n, ins, w, k, opts...)
		if err != nil {
			return nil, err
		}
		js = append(js, j)
	}
	return js, nil
}

// kernels returns the text of a job's kernels, to find out whether tiers differ.
func (j *job) kernels() string { return fmt.Sprint(j.program.Kernels()) }

// work is what a rate counts: a number of elements or floating-point operations, or bytes if it has no unit.
type work struct {
	n    int
	unit string // "elem/ns" or "GFLOP/s"
}

// call makes a way of running a job, with its check.
func (j *job) call(note string, run func() (*graph.Tensor, error)) call {
	c := call{note: note, rate: float64(j.work.n), unit: j.work.unit}
	if c.unit == "" {
		c.unit, c.rate = "GB/s", float64(j.dtype.Size())
		for _, d := range j.shape {
			c.rate *= float64(d)
		}
		for _, in := range j.ins {
			c.rate += float64(in.Bytes())
		}
	}
	c.run = func() error {
		_, err := run()
		return err
	}
	c.check = func() error {
		out, err := run()
		if err != nil {
			return err
		}
		return j.known.check(j.ins, out)
	}
	return c
}

// into runs a job into an old result.
func (j *job) into(note string) call {
	ctx := context.Background()
	var outs []*graph.Tensor
	return j.call(note, func() (*graph.Tensor, error) {
		if outs == nil {
			outs = []*graph.Tensor{j.out()}
		}
		return outs[0], j.program.RunInto(ctx, outs, j.ins...)
	})
}

// bound runs a job with arguments bound once.
func (j *job) bound(note string) call {
	ctx := context.Background()
	var c *graph.Call
	return j.call(note, func() (_ *graph.Tensor, err error) {
		if c == nil {
			if c, err = j.program.Bind([]*graph.Tensor{j.out()}, j.ins...); err != nil {
				return nil, err
			}
		}
		return j.out(), c.Run(ctx)
	})
}

// fresh runs a job with a new result each time.
func (j *job) fresh() call {
	ctx := context.Background()
	return j.call("fresh", func() (*graph.Tensor, error) { return j.program.Run(ctx, j.ins...) })
}

// released runs a job with a new result each time, and releases it.
func (j *job) released() call {
	ctx := context.Background()
	c := j.fresh()
	c.note = "fresh, released"
	c.run = func() error {
		out, err := j.program.Run(ctx, j.ins...)
		if err != nil {
			return err
		}
		return out.Release()
	}
	return c
}

// alone returns a call of a job's kernel without the library around it, or none if no kernel was generated for this
// machine. Inputs come in any order, and scalars are 1. So elementary functions would see other numbers than in the
// formula; with several of them there is no such call. The result differs from the formula's and is not checked.
func (j *job) alone(note string) []call {
	sig := j.program.Kernels()[0]
	fn, ok := abi.Lookup(abi.AVX2, sig)
	k, err := kernel.ParseKernel(sig)
	if !ok || err != nil || abi.Best() < abi.AVX2 || len(k.In) > len(j.ins)+1 {
		return nil
	}
	scalar, out := graph.Ones(j.dtype), j.out()
	f := &abi.Frame{Rows: 1, Cols: out.Size()}
	unit := 0
	for i, in := range k.In {
		if in.Splat {
			f.Ptr[i] = scalar.Pointer()
			continue
		}
		f.Ptr[i] = j.ins[unit].Pointer()
		unit++
	}
	f.Ptr[len(k.In)] = out.Pointer()
	c := j.call(note, func() (*graph.Tensor, error) {
		fn(f)
		return out, nil
	})
	c.check = nil
	return []call{c}
}

// limits is the range from which an input's elements are drawn.
type limits struct{ lo, hi float64 }

// period is the number of random numbers in an input. Larger inputs repeat them, as the peers' do, because that is
// fast. It is prime, so that rows differ.
const period = 1<<20 - 3

// inputs makes the tensors of a formula for a value of its size n. The last limits also apply to all further inputs.
func inputs(y graph.Node, n int, ls []limits) ([]*graph.Tensor, error) {
	p, err := graph.Compile(y)
	if err != nil {
		return nil, err
	}
	var ins []*graph.Tensor
	for i, port := range p.Inputs() {
		shape, err := port.Shape.Bind(map[string]int{"n": n})
		if err != nil {
			return nil, err
		}
		dims, _ := shape.Ints()
		t, seed, l := graph.New(port.DType, dims...), uint64(i+1), ls[min(i, len(ls)-1)]
		switch port.DType {
		case graph.Float32:
			err = fill[float32](t, seed, l)
		case graph.Float64:
			err = fill[float64](t, seed, l)
		case graph.Int32:
			err = fill[int32](t, seed, l)
		case graph.Int64:
			err = fill[int64](t, seed, l)
		case graph.Uint8:
			err = fill[uint8](t, seed, l)
		default:
			t = graph.Uniform(port.DType, seed, l.lo, l.hi, dims...)
			err = t.Err()
		}
		if err != nil {
			return nil, err
		}
		ins = append(ins, t)
	}
	return ins, nil
}

func fill[T uint8 | int32 | int64 | float32 | float64](t *graph.Tensor, seed uint64, l limits) error {
	data, err := graph.Data[T](t)
	if err != nil {
		return err
	}
	n := min(len(data), period)
	block, err := graph.Data[float64](graph.Uniform(graph.Float64, seed, l.lo, l.hi, n))
	if err != nil {
		return err
	}
	for i, v := range block {
		data[i] = T(v)
	}
	for i := n; i < len(data); {
		i += copy(data[i:], data[:n])
	}
	return nil
}
