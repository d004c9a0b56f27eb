package main

import (
	"bytes"
	"context"
	"math"
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Properties other than accuracy, over all float32: how often a rising function falls between two neighbours, whether
// an even or odd function is exactly even or odd, and whether all results are in the range of the exact function.

// shape has the known properties of a function.
type shape struct {
	monotone float64 // 1 if it rises, -1 if it falls, 0 for neither
	parity   float64 // 1 for an even function, -1 for an odd one
	lo, hi   float64 // its range, unless that is all numbers
}

var (
	rising  = shape{monotone: 1}
	falling = shape{monotone: -1}
	odd     = shape{monotone: 1, parity: -1}
)

var shapes = map[ir.Op]shape{
	ir.OpSqrt: rising, ir.OpExp: {monotone: 1, lo: 0, hi: math.Inf(1)}, ir.OpExp2: {monotone: 1, lo: 0, hi: math.Inf(1)}, ir.OpExpm1: {monotone: 1, lo: -1, hi: math.Inf(1)},
	ir.OpLog: rising, ir.OpLog2: rising, ir.OpLog10: rising, ir.OpLog1p: rising, ir.OpCbrt: odd, ir.OpRsqrt: falling,
	ir.OpSin: {parity: -1, lo: -1, hi: 1}, ir.OpCos: {parity: 1, lo: -1, hi: 1}, ir.OpTan: {parity: -1},
	ir.OpAsin: odd, ir.OpAcos: falling, ir.OpAtan: odd,
	ir.OpSinh: odd, ir.OpCosh: {parity: 1, lo: 1, hi: math.Inf(1)}, ir.OpTanh: {monotone: 1, parity: -1, lo: -1, hi: 1},
	ir.OpAsinh: odd, ir.OpAcosh: rising, ir.OpAtanh: odd,
	ir.OpErf: {monotone: 1, parity: -1, lo: -1, hi: 1}, ir.OpErfc: {monotone: -1, lo: 0, hi: 2},
	ir.OpSigmoid: {monotone: 1, lo: 0, hi: 1}, ir.OpSoftplus: {monotone: 1, lo: 0, hi: math.Inf(1)}, ir.OpSELU: rising,
	ir.OpSoftsign: {monotone: 1, parity: -1, lo: -1, hi: 1}, ir.OpLogit: rising,
}

// flaws counts neighbours whose results are in the wrong order, results that are not even or odd or beyond the range,
// and results whose bits differ between engines.
type flaws struct{ drops, others, differ uint64 }

func (n *flaws) add(m flaws) {
	n.drops, n.others, n.differ = n.drops+m.drops, n.others+m.others, n.differ+m.differ
}

// checkShape runs one tier over all float32 and their negatives, or over one chunk of every n. It checks the results of
// the first engine, and compares the others with them.
func checkShape(ctx context.Context, f *function, fast bool, on []abi.Engine, workers, every int, show func(done int)) (flaws, error) {
	chunks := ((1<<31-1)/(chunkLen-1) + 1) / every
	var mu sync.Mutex
	var total flaws
	err := inChunks(ctx, chunks, workers, show, func() (func(c int) error, error) {
		w, err := newShaped(f, fast, on)
		return func(c int) error {
			n, err := w.chunk(ctx, c*every)
			mu.Lock()
			defer mu.Unlock()
			total.add(n)
			return err
		}, err
	})
	return total, err
}

// shaped is the state of one goroutine.
type shaped struct {
	shape
	engines       []*engine[float32]
	xs, ys, above []float32
}

func newShaped(f *function, fast bool, on []abi.Engine) (*shaped, error) {
	w := &shaped{shape: shapes[f.op], xs: make([]float32, chunkLen), ys: make([]float32, chunkLen), above: make([]float32, chunkLen)}
	for _, o := range on {
		e, err := newEngine[float32](f, fast, o)
		if err != nil {
			return nil, err
		}
		w.engines = append(w.engines, e)
	}
	return w, nil
}

// chunk checks consecutive elements and their negatives.
func (w *shaped) chunk(ctx context.Context, c int) (n flaws, err error) {
	var out []float32
	for _, sign := range []float32{1, -1} {
		fill(w.xs, c, sign)
		for k, e := range w.engines {
			results, err := e.run(ctx, w.xs, w.ys)
			if err != nil {
				return n, err
			}
			if k == 0 {
				out = results
				continue
			}
			n.differ += differing(out, results)
		}
		n.add(w.count(out, sign*float32(w.monotone)))
		if sign > 0 {
			copy(w.above, out)
		}
	}
	n.others += w.asymmetric(w.above, out)
	return n, nil
}

// differing counts the elements with different bits; all NaNs are equal.
func differing(a, b []float32) (n uint64) {
	if bytes.Equal(bytesOf(a), bytesOf(b)) {
		return 0
	}
	for i := range a {
		if bits32(a[i]) != bits32(b[i]) {
			n++
		}
	}
	return n
}

func bytesOf(xs []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), 4*len(xs))
}

// fill makes a chunk of consecutive elements of one sign, from 0 on. The first is the last of the previous chunk.
func fill(xs []float32, chunk int, sign float32) {
	bits, most := uint32(chunk*(chunkLen-1)), uint32(math.MaxInt32)
	if sign < 0 {
		bits, most = bits|1<<31, math.MaxUint32
	}
	for i := range xs {
		xs[i] = math.Float32frombits(bits)
		if bits < most {
			bits++
		}
	}
}

// count counts wrong results of consecutive elements. They must rise if monotone is positive, and fall if it is
// negative.
func (sh shape) count(out []float32, monotone float32) (n flaws) {
	if monotone != 0 {
		last := out[0] * monotone
		for _, y := range out {
			if y *= monotone; y < last {
				n.drops++
			}
			last = y
		}
	}
	if sh.lo < sh.hi {
		lo, hi := float32(sh.lo), float32(sh.hi)
		for _, y := range out {
			if y < lo || y > hi {
				n.others++
			}
		}
	}
	return n
}

func (sh shape) asymmetric(above, below []float32) (n uint64) {
	if sh.parity == 0 {
		return 0
	}
	for i, y := range above {
		if math.Float32bits(y) != math.Float32bits(below[i]*float32(sh.parity)) && y == y {
			n++
		}
	}
	return n
}
