package arrow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/stridefuse/stridefuse/graph"
)

// This file computes aggregates of columns. Input: a table and names. Output: for each column the count, sum, mean,
// variance, least and greatest of its values without nulls. A program computes the parts of blocks of rows: the variance
// needs the mean first, and a block is still in the cache then, so a chunk is read from memory once. Parts are merged in
// pairs within a chunk, and then in the order of the chunks.

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
	if t == nil {
		return nil, errNoTable
	}
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

// errNoTable is the error of functions that are given no table.
var errNoTable = errors.New("the table is nil")

// pick returns the columns of a table that have the given names.
func pick(t arrow.Table, names []string) ([]*arrow.Column, error) {
	if t == nil {
		return nil, errNoTable
	}
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

// part has the aggregates of some rows.
type part struct {
	n               int     // values
	sum, squares    float64 // squares: of the distances from the mean
	least, greatest float64
}

// merge returns the aggregates of the rows of both parts: Chan, Golub and LeVeque, Algorithms for computing the sample
// variance, 1983.
func (p part) merge(o part) part {
	if p.n == 0 || o.n == 0 {
		if p.n == 0 {
			p = o
		}
		return p
	}
	a, b := float64(p.n), float64(o.n)
	delta := o.sum/b - p.sum/a
	squares := p.squares + (o.squares + delta*delta*a*b/(a+b))
	return part{p.n + o.n, p.sum + o.sum, squares, min(p.least, o.least), max(p.greatest, o.greatest)}
}

// merged merges parts in pairs: rounding errors grow with the logarithm of their number.
func merged(parts []part) part {
	switch n := len(parts); n {
	case 0:
		return part{}
	case 1:
		return parts[0]
	default:
		return merged(parts[:n/2]).merge(merged(parts[n/2:]))
	}
}

// stats returns the aggregates under a name.
func (p part) stats(name string, nulls int) Stats {
	s := Stats{Name: name, Count: p.n, Nulls: nulls, Sum: p.sum, Mean: math.NaN(), Variance: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	if p.n > 0 {
		n := float64(p.n)
		s.Mean, s.Variance, s.Min, s.Max = p.sum/n, p.squares/n, p.least, p.greatest
	}
	return s
}

// describe merges the parts of a column's chunks.
func describe(ctx context.Context, c *arrow.Column) (Stats, error) {
	kind, ok := columns[c.DataType().ID()]
	if !ok {
		return Stats{}, fmt.Errorf("aggregates of type %s: want numbers or times", c.DataType())
	}
	p, err := programs[kind.dtype]()
	if err != nil {
		return Stats{}, err
	}
	var all part
	nulls := 0
	for _, chunk := range c.Data().Chunks() {
		nulls += chunk.NullN()
		if chunk.Len() == chunk.NullN() {
			continue
		}
		parts, err := blocks(ctx, p, chunk)
		if err != nil {
			return Stats{}, err
		}
		all = all.merge(merged(parts))
	}
	return all.stats(c.Name(), nulls), nil
}

// blockRows is the number of rows of a block: 32 KiB of float64.
const blockRows = 4096

// blocks returns the parts of a chunk's blocks of rows, of which the last one may be shorter.
func blocks(ctx context.Context, p *graph.Program, chunk arrow.Array) ([]part, error) {
	x, err := Tensor(chunk)
	if err != nil {
		return nil, err
	}
	valid, err := Valid(chunk)
	if err != nil {
		return nil, err
	}
	var parts []part
	n := chunk.Len()
	whole := n - n%blockRows
	for _, of := range []struct{ from, to, rows int }{{0, whole, blockRows}, {whole, n, n - whole}} {
		if of.from == of.to {
			continue
		}
		block := func(t *graph.Tensor) *graph.Tensor { return t.SliceAxis(0, of.from, of.to, 1).Reshape(-1, of.rows) }
		out, err := p.RunAll(ctx, block(x), block(valid))
		if err != nil {
			return nil, err
		}
		counts, err := graph.Data[int64](out[0])
		if err != nil {
			return nil, err
		}
		var values [4][]float64 // sum, squares, least, greatest
		for i := range values {
			if values[i], err = graph.Data[float64](out[1+i]); err != nil {
				return nil, err
			}
		}
		for i, count := range counts {
			parts = append(parts, part{int(count), values[0][i], values[1][i], values[2][i], values[3][i]})
		}
	}
	return parts, nil
}

// programs compute the parts of blocks, by the type of their rows, each compiled at its first use.
var programs = func() map[graph.DType]func() (*graph.Program, error) {
	all := map[graph.DType]func() (*graph.Program, error){}
	for _, c := range columns {
		all[c.dtype] = sync.OnceValues(func() (*graph.Program, error) { return compile(c.dtype) })
	}
	return all
}()

func compile(dt graph.DType) (*graph.Program, error) {
	blocks, rows := graph.Dim("blocks"), graph.Dim("rows")
	x, valid := graph.Input("x", dt, blocks, rows), graph.Input("valid", graph.Bool, blocks, rows)
	v := x.Cast(graph.Float64)
	count, sum := valid.Sum(1), graph.Where(valid, v, 0).Sum(1)
	mean := sum.Div(count.Cast(graph.Float64))
	squares := graph.Where(valid, v.Sub(mean.Unsqueeze(1)).Square(), 0).Sum(1)
	return graph.Compile(count, sum, squares, graph.Where(valid, v, math.Inf(1)).Min(1), graph.Where(valid, v, math.Inf(-1)).Max(1))
}
