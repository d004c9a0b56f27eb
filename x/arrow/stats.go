package arrow

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/stridefuse/stridefuse/graph"
)

// This file computes aggregates of columns. Input: a table and names. Output: for each column the count, sum, mean,
// variance, least and greatest of its values without nulls. A program computes the parts of a chunk in two passes over
// it: one for all but the variance, which needs the mean. Parts are combined in the order of the chunks.

// Stats are aggregates of the values of a column that are not null, in float64: integers beyond 2^53 are rounded.
type Stats struct {
	Name     string
	Count    int     // values
	Nulls    int     // rows without a value
	Sum      float64 // 0 without values
	Mean     float64 // NaN without values, like all below
	Variance float64 // mean square of the distance from the mean; divide by Count-1 instead for that of a sample
	Min, Max float64 // NaN if a value is NaN
}

// Describe returns the aggregates of the columns of a table that have the given names, or of all columns of numbers and
// times if there are no names. An unknown name, one that two columns have, and a column of another type are errors that
// name the column. The bits depend on how the table is divided into chunks, not on threads.
func Describe(ctx context.Context, t arrow.Table, names ...string) ([]Stats, error) {
	picked, err := pick(t, names)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		picked = numbers(t)
	}
	out := make([]Stats, len(picked))
	for i, c := range picked {
		if out[i], err = describe(ctx, c); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name(), err)
		}
	}
	return out, nil
}

// pick returns the columns of a table that have the given names.
func pick(t arrow.Table, names []string) ([]*arrow.Column, error) {
	picked := make([]*arrow.Column, len(names))
	for i, name := range names {
		at := t.Schema().FieldIndices(name)
		if len(at) != 1 {
			return nil, fmt.Errorf("column %q: %d columns have this name", name, len(at))
		}
		picked[i] = t.Column(at[0])
	}
	return picked, nil
}

// numbers returns the columns of numbers and times.
func numbers(t arrow.Table) (picked []*arrow.Column) {
	for i := range int(t.NumCols()) {
		if _, ok := columns[t.Column(i).DataType().ID()]; ok {
			picked = append(picked, t.Column(i))
		}
	}
	return picked
}

// describe combines the parts of a column's chunks.
func describe(ctx context.Context, c *arrow.Column) (Stats, error) {
	s := Stats{Name: c.Name(), Mean: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	squares := math.NaN()
	kind, ok := columns[c.DataType().ID()]
	if !ok {
		return s, fmt.Errorf("aggregates of type %s: want numbers or times", c.DataType())
	}
	p, err := programs[kind.dtype]()
	if err != nil {
		return s, err
	}
	for _, chunk := range c.Data().Chunks() {
		n := chunk.Len() - chunk.NullN()
		s.Nulls += chunk.NullN()
		if n == 0 {
			continue
		}
		x, err := Tensor(chunk)
		if err != nil {
			return s, err
		}
		valid, err := Valid(chunk)
		if err != nil {
			return s, err
		}
		out, err := p.RunAll(ctx, x, valid)
		if err != nil {
			return s, err
		}
		var part [4]float64 // sum, squares, least, greatest
		for i, t := range out {
			if part[i], err = graph.At[float64](t); err != nil {
				return s, err
			}
		}
		squares = s.add(n, part, squares)
	}
	s.Variance = squares / float64(s.Count)
	return s, nil
}

// add combines the aggregates so far with those of n values, and returns the sum of the squares of all distances from
// the mean: Chan, Golub and LeVeque, Algorithms for computing the sample variance, 1983.
func (s *Stats) add(n int, part [4]float64, squares float64) float64 {
	sum, more, least, greatest := part[0], part[1], part[2], part[3]
	if s.Count == 0 {
		s.Count, s.Sum, s.Mean, s.Min, s.Max = n, sum, sum/float64(n), least, greatest
		return more
	}
	a, b := float64(s.Count), float64(n)
	delta := sum/b - s.Mean
	squares += more + delta*delta*a*b/(a+b)
	s.Count, s.Sum = s.Count+n, s.Sum+sum
	s.Mean = s.Sum / float64(s.Count)
	s.Min, s.Max = min(s.Min, least), max(s.Max, greatest)
	return squares
}

// programs compute the parts of a chunk, by its type, each compiled at its first use.
var programs = func() map[graph.DType]func() (*graph.Program, error) {
	all := map[graph.DType]func() (*graph.Program, error){}
	for _, c := range columns {
		all[c.dtype] = sync.OnceValues(func() (*graph.Program, error) { return compile(c.dtype) })
	}
	return all
}()

func compile(dt graph.DType) (*graph.Program, error) {
	x, valid := graph.Input("x", dt, graph.Dim("n")), graph.Input("valid", graph.Bool, graph.Dim("n"))
	v := x.Cast(graph.Float64)
	sum := graph.Where(valid, v, 0).Sum()
	mean := sum.Div(valid.Sum().Cast(graph.Float64))
	squares := graph.Where(valid, v.Sub(mean).Square(), 0).Sum()
	return graph.Compile(sum, squares, graph.Where(valid, v, math.Inf(1)).Min(), graph.Where(valid, v, math.Inf(-1)).Max())
}
