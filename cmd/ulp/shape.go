package main

import (
	"context"
	"math"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Properties of functions besides accuracy, over all float32: how often a function that
// rises falls between two neighbours, whether an even or odd function is exactly even or
// odd, and whether all results are in the range of the exact function.

// shape is what is known of a function.
type shape struct {
	monotone float64 // 1 where it rises, -1 where it falls, 0 for neither
	parity   float64 // 1 for an even function, -1 for an odd one
	lo, hi   float64 // its range, if that is not all numbers
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

// flaws counts the neighbours of which the results are in the wrong order, and all
// results that are not even or odd or beyond the range.
type flaws struct{ drops, others uint64 }

// checkShape runs one tier over all float32, each with its negative; or over one chunk
// in every.
func checkShape(ctx context.Context, f *function, fast bool, workers, every int, show func(done int)) (flaws, error) {
	chunks := ((1<<31-1)/(chunkLen-1) + 1) / every
	sh := shapes[f.op]
	var mu sync.Mutex
	var total flaws
	err := inChunks(ctx, chunks, workers, show, func() (func(c int) error, error) {
		e, err := newEngine[float32](f, fast, abi.Best())
		xs, ys, above := make([]float32, chunkLen), make([]float32, chunkLen), make([]float32, chunkLen)
		return func(c int) error {
			fill(xs, c*every, 1)
			out, err := e.run(ctx, xs, ys)
			if err != nil {
				return err
			}
			copy(above, out)
			n := sh.count(above, sh.monotone)
			fill(xs, c*every, -1)
			if out, err = e.run(ctx, xs, ys); err != nil {
				return err
			}
			below := sh.count(out, -sh.monotone)
			n.drops, n.others = n.drops+below.drops, n.others+below.others+sh.asymmetric(above, out)
			mu.Lock()
			defer mu.Unlock()
			total.drops, total.others = total.drops+n.drops, total.others+n.others
			return nil
		}, err
	})
	return total, err
}

// fill makes a chunk of consecutive elements of one sign, from 0 on, of which the first
// is the last of the chunk before.
func fill(xs []float32, chunk int, sign float32) {
	for i := range xs {
		xs[i] = sign * math.Float32frombits(uint32(min(chunk*(chunkLen-1)+i, math.MaxInt32)))
	}
}

// count counts in the results of consecutive elements.
func (sh shape) count(out []float32, monotone float64) (n flaws) {
	last := out[0]
	for _, y := range out {
		if monotone > 0 && y < last || monotone < 0 && y > last {
			n.drops++
		}
		if sh.lo < sh.hi && (float64(y) < sh.lo || float64(y) > sh.hi) {
			n.others++
		}
		last = y
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
