package main

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// The search for the worst argument. A sample of all strata shows in which places errors are large. Each generation
// then tries arguments near the worst of those places, from the next one to 1% off, and the worst that it finds start
// the next generation. Places are kept separate, so that one cannot crowd out others that would turn out worse.

const (
	generations = 20
	children    = drawnAtOnce
	share       = 2048 // one of share inputs of a sample is a parent of a generation, over all tiers
)

// climb continues the search from a sample, and merges what it finds.
func climb[T float](ctx context.Context, s *settings, f *function, ms []measurement) ([]measurement, error) {
	parents := int(ms[0].tried)/share + 1
	for g := range generations {
		from := worstPlaces[T](ms, parents)
		more, err := measure(ctx, f, beyond[T](f, from, uint64(g)), s.workers, quiet)
		if err != nil {
			return nil, err
		}
		for i, m := range more {
			ms[i].tried += m.tried
			ms[i].byChunk = append(ms[i].byChunk, m.byChunk...)
			if m.max > ms[i].max {
				ms[i].max, ms[i].at, ms[i].got, ms[i].want = m.max, m.at, m.got, m.want
			}
		}
	}
	return ms, nil
}

// worstPlaces returns the worst argument of each of the worst places.
func worstPlaces[T float](ms []measurement, parents int) []candidate {
	var out []candidate
	for i := range ms {
		list := ms[i].byChunk
		slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.ulps, a.ulps) })
		seen := map[[2]int64]bool{}
		list = slices.DeleteFunc(list, func(c candidate) bool {
			p := place[T](c)
			again := seen[p]
			seen[p] = true
			return again
		})
		ms[i].byChunk = list
		out = append(out, list[:min(len(list), parents/len(ms))]...)
	}
	return out
}

// place identifies arguments with the same leading bits: an exponent and 6 bits of fraction.
func place[T float](c candidate) [2]int64 {
	dt := dtypeOf[T]()
	shift := formats[dt].Bits - 1 - 6
	return [2]int64{ordinal(dt, c.x) >> shift, ordinal(dt, c.y) >> shift}
}

// beyond returns arguments near others; of two arguments it changes one or both.
func beyond[T float](f *function, from []candidate, seed uint64) source[T] {
	dt := dtypeOf[T]()
	return source[T]{chunks: len(from), tried: uint64(len(from) * children), fill: func(chunk int, xs, ys []T) int {
		r := rand.New(rand.NewPCG(uint64(chunk), seed))
		for i := range children {
			xs[i], ys[i] = T(from[chunk].x), T(from[chunk].y)
			which := r.IntN(3)
			if f.exact.Arity == 1 || which != 0 {
				xs[i] = T(beside(r, dt, from[chunk].x))
			}
			if f.exact.Arity == 2 && which != 1 {
				ys[i] = T(beside(r, dt, from[chunk].y))
			}
		}
		return children
	}}
}
