package graph

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/stridefuse/stridefuse/runtime"
)

// Limits are the measured limits of a machine with some number of workers, to compare steps with.
type Limits struct {
	Workers       int
	MemoryGB      float64 // GB/s: two arrays read and one stored, 96 MiB in total
	Float32GFLOPs float64 // GFLOP/s: a product of two matrices in the cache
	Float64GFLOPs float64
}

// GFLOPs returns the arithmetic limit for a type: that of Float64 for types of 8 bytes, else that of Float32.
func (l Limits) GFLOPs(dt DType) float64 {
	if dt.Size() == 8 {
		return l.Float64GFLOPs
	}
	return l.Float32GFLOPs
}

func (l Limits) known() bool { return l.MemoryGB > 0 && l.Float32GFLOPs > 0 && l.Float64GFLOPs > 0 }

// String returns the limits in a line.
func (l Limits) String() string {
	if !l.known() {
		return "the limits of the machine are not measured: there is no memory for that"
	}
	return fmt.Sprintf("%.3g GB/s of memory, %.3g GFLOP/s of float32, %.3g of float64 with %s",
		l.MemoryGB, l.Float32GFLOPs, l.Float64GFLOPs, plural(l.Workers, "worker"))
}

// measured holds the limits measured so far.
var measured struct {
	sync.Mutex
	limits map[limitsKey]Limits
}

type limitsKey struct {
	workers        int
	portable, avx2 bool
}

// limitsOf returns the limits of the machine for the workers and kernels of an executor. The first call measures them;
// a call that fails for lack of memory is repeated by the next one.
func limitsOf(e *runtime.Executor) Limits {
	measured.Lock()
	defer measured.Unlock()
	key := limitsKey{e.Parallelism(), e.Portable, e.AVX2}
	if l, ok := measured.limits[key]; ok {
		return l
	}
	if measured.limits == nil {
		measured.limits = map[limitsKey]Limits{}
	}
	l := measureLimits(key)
	if l.known() {
		measured.limits[key] = l
	}
	return l
}

// Sizes of the measurements: arrays larger than every cache, and matrices that fit a second-level cache.
const (
	limitElems = 8 << 20
	limitSide  = 256
	limitTime  = 30 * time.Millisecond // approximate time of each measurement
)

func measureLimits(key limitsKey) Limits {
	l := Limits{Workers: key.workers}
	a, b := Input("a", Float32, limitElems), Input("b", Float32, limitElems)
	l.MemoryGB = 3 * 4 * limitElems / fastest(key, a.Add(b), ones(Float32, limitElems), ones(Float32, limitElems), ones(Float32, limitElems))
	product := func(dt DType) float64 {
		x, y := Input("x", dt, limitSide, limitSide), Input("y", dt, limitSide, limitSide)
		ones := func() *Tensor { return ones(dt, limitSide, limitSide) }
		return 2 * limitSide * limitSide * limitSide / fastest(key, x.MatMul(y), ones(), ones(), ones())
	}
	l.Float32GFLOPs, l.Float64GFLOPs = product(Float32), product(Float64)
	return l
}

// ones returns a tensor that has been written, so that its pages are mapped.
func ones(dt DType, shape ...int) *Tensor { return Full(dt, 1, shape...) }

// fastest returns the time of the fastest of several runs of a program, in ns. If there is no memory for the run it returns
// +Inf, so that the limit is 0.
func fastest(key limitsKey, y Node, out *Tensor, ins ...*Tensor) float64 {
	items := []Item{y, WithWorkers(key.workers), hidden()}
	if key.portable {
		items = append(items, WithDebug(Portable))
	}
	if key.avx2 {
		items = append(items, WithDebug(AVX2))
	}
	p, err := Compile(items...)
	if err != nil {
		panic("BUG: graph: limits: " + err.Error())
	}
	ctx, best := context.Background(), time.Duration(1<<62)
	for begun, runs := time.Now(), 0; runs < 3 || time.Since(begun) < limitTime; runs++ {
		before := time.Now()
		if err := p.RunInto(ctx, []*Tensor{out}, ins...); err != nil {
			return math.Inf(1)
		}
		best = min(best, time.Since(before))
	}
	return float64(max(best, 1))
}

// hidden keeps a program that the library compiles for itself out of dumps.
func hidden() Option { return func(s *settings) { s.hidden = true } }
