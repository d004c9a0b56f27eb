package arrow

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/stridefuse/stridefuse/graph"
)

// This file finds quantiles of a column without sorting or copying it. Input: a table, a name, and numbers from 0 to 1. A
// value is an integer of 64 bits with the same order (its bits, all but the sign inverted if it is negative). A pass over
// the chunks counts the values by the first 16 bits; further passes count those that begin with the bits in which a
// wanted value lies by the next 16, until all 64 are known.

// Quantiles returns quantiles of the values of a column that are not null, for each of qs from 0 to 1: 0.5 is the median.
// Between two values it interpolates linearly, as graph.Quantile does. A result is NaN if a value is NaN, or if there are
// none. Results are those of the values as float64: integers beyond 2^53 are rounded. The column is read at most seven
// times for each quantile, and is neither copied nor sorted. A q outside 0 to 1 and the mistakes that Describe finds are
// errors that name the column.
func Quantiles(ctx context.Context, t arrow.Table, name string, qs ...float64) ([]float64, error) {
	picked, err := pick(t, []string{name})
	if err != nil {
		return nil, err
	}
	out, err := quantiles(ctx, picked[0], qs)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", name, err)
	}
	return out, nil
}

func quantiles(ctx context.Context, c *arrow.Column, qs []float64) ([]float64, error) {
	kind, ok := columns[c.DataType().ID()]
	if !ok {
		return nil, fmt.Errorf("quantiles of type %s: want numbers or times", c.DataType())
	}
	n := c.Len() - c.NullN()
	var ranks []int
	for _, q := range qs {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("quantile %v: want 0 to 1", q)
		}
		at := position(q, n)
		ranks = append(ranks, int(math.Floor(at)), int(math.Ceil(at)))
	}
	s := selection{ctx: ctx, column: c, counters: counters[kind.dtype], values: map[int]float64{}}
	if sorted := slices.Sorted(slices.Values(ranks)); n > 0 && len(qs) > 0 {
		if err := s.find(0, 0, 0, slices.Compact(sorted)); err != nil {
			return nil, err
		}
	}
	out := make([]float64, len(qs))
	for i, q := range qs {
		out[i] = math.NaN()
		if n > 0 && !s.nan {
			at := position(q, n)
			out[i] = between(s.values[ranks[2*i]], s.values[ranks[2*i+1]], at-math.Floor(at))
		}
	}
	return out, nil
}

// position returns the place of a quantile among n values in order, rounded on all processors alike: what follows is not fused with it.
func position(q float64, n int) float64 { return float64(q * float64(n-1)) }

// between returns a + t*(b-a). Where b-a is no number, it is a: for the same infinity twice, and from -Inf to a finite b.
func between(a, b, t float64) float64 {
	if t == 0 || a == b || math.IsInf(a, -1) && !math.IsInf(b, 1) {
		return a
	}
	return math.FMA(t, b-a, a)
}

// Bits of a value are looked at digit by digit, the highest first.
const (
	digit  = 16
	digits = 64 / digit
)

// selection finds values of a column by their ranks, from 0 on, among the values that are not null.
type selection struct {
	ctx      context.Context
	column   *arrow.Column
	counters func() (*graph.Program, error)
	values   map[int]float64 // by rank
	nan      bool            // a value is NaN
}

// find finds the values of some ranks, which ascend. Their first known digits are prefix, and before values are less.
func (s *selection) find(prefix int64, known, before int, ranks []int) error {
	if known == digits {
		bits := prefix
		if bits < 0 {
			bits ^= math.MaxInt64
		}
		for _, r := range ranks {
			s.values[r] = math.Float64frombits(uint64(bits))
		}
		return nil
	}
	counts, err := s.count(prefix, known)
	if err != nil || s.nan {
		return err
	}
	for d, n := range counts {
		end := sort.SearchInts(ranks, before+int(n))
		if end > 0 {
			next := prefix<<digit | int64(d)
			if known == 0 {
				next = int64(d) - 1<<(digit-1) // the sign is in the first digit
			}
			if err := s.find(next, known+1, before, ranks[:end]); err != nil || s.nan {
				return err
			}
			ranks = ranks[end:]
		}
		if before += int(n); len(ranks) == 0 {
			break
		}
	}
	return nil
}

// count returns how many values with the known digits of prefix have each next digit.
func (s *selection) count(prefix int64, known int) ([]int64, error) {
	p, err := s.counters()
	if err != nil {
		return nil, err
	}
	total := make([]int64, 1<<digit)
	for _, chunk := range s.column.Data().Chunks() {
		if chunk.Len() == chunk.NullN() {
			continue
		}
		x, err := Tensor(chunk)
		if err != nil {
			return nil, err
		}
		valid, err := Valid(chunk)
		if err != nil {
			return nil, err
		}
		out, err := p.RunAll(s.ctx, x, valid, graph.ScalarOf(prefix), graph.ScalarOf(int64(known)))
		if err != nil {
			return nil, err
		}
		nan, err := graph.At[bool](out[1])
		if err != nil {
			return nil, err
		}
		s.nan = s.nan || nan
		counts, err := graph.Data[int64](out[0])
		if err != nil {
			return nil, err
		}
		for d := range total {
			total[d] += counts[d]
		}
	}
	return total, nil
}

// counters count the digits of a chunk, by its type, each compiled at its first use.
var counters = func() map[graph.DType]func() (*graph.Program, error) {
	all := map[graph.DType]func() (*graph.Program, error){}
	for _, c := range columns {
		all[c.dtype] = sync.OnceValues(func() (*graph.Program, error) { return compileDigits(c.dtype) })
	}
	return all
}()

// compileDigits returns the program that counts the next digits of the values with the first known digits of prefix, and
// tells whether a value is NaN. Values are compared by key, an integer in their order.
func compileDigits(dt graph.DType) (*graph.Program, error) {
	x, valid := graph.Input("x", dt, graph.Dim("n")), graph.Input("valid", graph.Bool, graph.Dim("n"))
	prefix, known := graph.Input("prefix", graph.Int64), graph.Input("known", graph.Int64)
	v := x.Cast(graph.Float64).Add(0) // -0 is 0
	bits := v.Bitcast(graph.Int64)
	key := bits.Xor(bits.Shr(63).And(math.MaxInt64))
	left := known.Mul(-digit).Add(64) // bits that are not known
	first := known.Eq(0)
	in := valid.And(first.Or(key.Shr(left.Minimum(63)).Eq(prefix)))
	next := key.Shr(left.Sub(digit)).And(1<<digit - 1).Xor(graph.Where(first, 1<<(digit-1), graph.Fill(graph.Int64, 0)))
	counts := graph.Where(in, next, 1<<digit).BinCount(1<<digit + 1)
	return graph.Compile(counts, v.IsNaN().And(valid).Any(), graph.WithInputs(x, valid, prefix, known))
}
