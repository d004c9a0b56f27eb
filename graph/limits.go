package graph

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/stridefuse/stridefuse/runtime"
)

// Limits are what a machine can do at most, measured by programs of this library with some
// number of workers: what a step is compared with.
type Limits struct {
	Workers       int
	MemoryGB      float64 // GB/s: two arrays read and one stored, 96 MiB together
	Float32GFLOPs float64 // GFLOP/s: a product of two matrices in the cache
	Float64GFLOPs float64
}

// GFLOPs returns the limit of operations that compute in a type: that of Float64 for types
// of 8 bytes, else that of Float32.
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

// measured are the limits measured so far.
var measured struct {
	sync.Mutex
	limits map[limitsKey]Limits
}

type limitsKey struct {
	workers        int
	portable, avx2 bool
}

// limitsOf returns the limits of the machine for programs of an executor, measured at the
// first call for its workers and kernels. A call that finds no memory for that is not the last to try.
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

// The sizes of what is measured: arrays that no cache holds, and matrices that a
// second-level cache does.
const (
	limitElems = 8 << 20
	limitSide  = 256
	limitTime  = 30 * time.Millisecond // of each measurement, about
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

// ones returns a tensor whose pages are mapped: it has been written.
func ones(dt DType, shape ...int) *Tensor { return Full(dt, 1, shape...) }

// fastest returns how many nanoseconds the fastest run of a program takes, for ever if there
// is no memory for it: the limit is 0 then.
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

// hidden keeps a program that the library makes for itself out of dumps.
func hidden() Option { return func(s *settings) { s.hidden = true } }
