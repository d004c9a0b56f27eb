package main

import (
	"context"
	"math"
	"sync"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// measurement is the result for a function in one type and tier over a source.
type measurement struct {
	op    ir.Op
	dtype ir.DType
	fast  bool

	max   float64    // greatest error, in ULP
	at    [2]float64 // its arguments
	got   float64
	want  oracle.Value
	tried uint64
	hash  uint64 // hash of the results, in the order of the source

	byChunk []candidate // the worst result of each chunk, where the search continues
}

// measure runs f in all its tiers over a source, on a number of goroutines.
func measure[T float](ctx context.Context, f *function, src source[T], workers int, show func(done int)) ([]measurement, error) {
	dt := dtypeOf[T]()
	hashes, byChunk := make([][]uint64, len(tiers(f.op, dt))), make([][]candidate, len(tiers(f.op, dt)))
	for i := range hashes {
		hashes[i], byChunk[i] = make([]uint64, src.chunks), make([]candidate, src.chunks)
	}
	var mu sync.Mutex
	var all []*worker[T]
	err := inChunks(ctx, src.chunks, workers, show, func() (func(c int) error, error) {
		w, err := newWorker[T](f, hashes, byChunk)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, w)
		return func(c int) error { return w.chunk(ctx, src, c) }, err
	})
	if err != nil {
		return nil, err
	}
	var out []measurement
	for i, fast := range tiers(f.op, dt) {
		m := worst(f, dt, all, i)
		m.fast, m.tried, m.hash, m.byChunk = fast, src.tried, hash64(hashes[i]), byChunk[i]
		out = append(out, m)
	}
	return out, nil
}

// worker is the state of one goroutine.
type worker[T float] struct {
	f         *function
	engines   []*engine[T]
	found     []candidates  // one per engine
	hashes    [][]uint64    // hashes by engine and chunk; shared
	byChunk   [][]candidate // worst results by engine and chunk; shared
	oracle    oracle.Oracle
	xs, ys    []T
	reference *reference // reference for float32
	ulps      []float64
	wrong     int // number of wrong results
}

func newWorker[T float](f *function, hashes [][]uint64, byChunk [][]candidate) (*worker[T], error) {
	w := &worker[T]{f: f, hashes: hashes, byChunk: byChunk, xs: make([]T, chunkLen), ys: make([]T, chunkLen), ulps: make([]float64, chunkLen)}
	if dtypeOf[T]() == ir.Float32 {
		var err error
		if w.reference, err = newReference(f); err != nil {
			return nil, err
		}
	}
	for _, fast := range tiers(f.op, dtypeOf[T]()) {
		e, err := newEngine[T](f, fast, abi.Best())
		if err != nil {
			return nil, err
		}
		w.engines = append(w.engines, e)
		w.found = append(w.found, candidates{})
	}
	return w, nil
}

// chunk computes one chunk with each engine and compares the results.
func (w *worker[T]) chunk(ctx context.Context, src source[T], c int) error {
	n := src.fill(c, w.xs, w.ys)
	xs, ys := w.xs[:n], w.ys[:n]
	var outs [2][]T
	for i, e := range w.engines {
		out, err := e.run(ctx, xs, ys)
		if err != nil {
			return err
		}
		outs[i] = out
		w.hashes[i][c] = hashOf(out)
	}
	if single, ok := any(&outs).(*[2][]float32); ok {
		return w.compareSingle(ctx, c, any(xs).([]float32), any(ys).([]float32), single)
	}
	for j := range xs {
		x, y := float64(xs[j]), float64(ys[j])
		near, fast := w.f.exact.Close(x, y)
		for i := range w.engines {
			got := float64(outs[i][j])
			ulps, ok := 0.0, false
			if fast {
				ulps, ok = near.ULPs(oracle.Double, got)
			}
			if !ok {
				ulps = w.oracle.Value(w.f.exact, x, y).ULPs(oracle.Double, got)
			}
			w.add(i, c, candidate{ulps: ulps, x: x, y: y, got: got})
		}
	}
	return nil
}

// add keeps a candidate, and the worst of each chunk.
func (w *worker[T]) add(tier, chunk int, n candidate) {
	w.found[tier].add(n)
	if n.ulps > w.byChunk[tier][chunk].ulps {
		w.byChunk[tier][chunk] = n
	}
}

// compareSingle compares float32 results with float64 references, and keeps those that may be the worst.
func (w *worker[T]) compareSingle(ctx context.Context, c int, xs, ys []float32, outs *[2][]float32) error {
	if err := w.reference.compute(ctx, xs, ys); err != nil {
		return err
	}
	for i := range w.engines {
		most := w.errors(xs, ys, outs[i])
		found := &w.found[i]
		if most == math.Inf(1) && found.max == most {
			continue
		}
		found.raise(most)
		for j, e := range w.ulps[:len(xs)] {
			if e == most || e >= found.least() {
				w.add(i, c, candidate{ulps: e, x: float64(xs[j]), y: float64(ys[j]), got: float64(outs[i][j])})
			}
		}
	}
	return nil
}

// errors stores the ULP of each result in w.ulps and returns the maximum.
func (w *worker[T]) errors(xs, ys, out []float32) (most float64) {
	near, errs := w.reference.values[:len(out)], w.ulps[:len(out)]
	for j, got := range out {
		want := near[j]
		b := math.Float64bits(want)
		e := max(b>>52&0x7ff, 1023-126)
		ulps := math.Abs(float64(got)-want) * math.Float64frombits((2*1023+23-e)<<52)
		if !(ulps < doubtful) || got == 0 && (want == 0 || math.Float32bits(got)>>31 != uint32(b>>63)) {
			ulps = w.settle(float64(xs[j]), float64(ys[j]), float64(got))
		}
		errs[j] = ulps
		most = max(most, ulps)
	}
	return most
}

// settle returns the error at NaN, infinities and zeros, where the library's own kernels are no reference. It calls the
// oracle if the other reference disagrees.
func (w *worker[T]) settle(x, y, got float64) float64 {
	near := w.f.exact.Near(x, y)
	switch {
	case got != got && near != near,
		got == 0 && near == 0 && math.Signbit(got) == math.Signbit(near),
		math.IsInf(got, 0) && math.Signbit(got) == math.Signbit(near) && math.Abs(near) > 0x1.000001p128:
		return 0
	case w.wrong > mostKept:
		return math.Inf(1) // infinitely wrong
	}
	ulps := w.oracle.Value(w.f.exact, x, y).ULPs(oracle.Single, got)
	if ulps > doubtful {
		w.wrong++
	}
	return ulps
}

// worst returns the worst of all workers' candidates, according to the oracle.
func worst[T float](f *function, dt ir.DType, all []*worker[T], tier int) measurement {
	m := measurement{op: f.op, dtype: dt}
	for _, w := range all {
		for _, c := range w.found[tier].list {
			v := w.oracle.Value(f.exact, c.x, c.y)
			u := v.ULPs(formats[dt], c.got)
			if u > m.max || u == m.max && u > 0 && before(c.x, c.y, m.at) {
				m.max, m.at, m.got, m.want = u, [2]float64{c.x, c.y}, c.got, v
			}
		}
	}
	return m
}

// before orders arguments by magnitude, so that the reported one does not depend on the goroutines.
func before(x, y float64, at [2]float64) bool {
	a, b := math.Abs(x), math.Abs(at[0])
	if a != b {
		return a < b
	}
	return math.Abs(y) < math.Abs(at[1])
}
