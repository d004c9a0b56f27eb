package arrow

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/stridefuse/stridefuse/graph"
)

// This file computes aggregates of columns for each group of rows. Input: a table, a column of group numbers or a
// dictionary, and names. Output: for each column and group what Describe returns for the rows of the group. Rows without
// a key, and values that are null, count for a group behind the last, which is dropped.

// mostGroups bounds the memory of aggregates if a key is wrong.
const mostGroups = 1 << 24

// DescribeBy returns for each of the columns names the aggregates of each group of rows: out[c][g] is that of column
// names[c] and the rows whose key is g. The key is a dictionary, whose indices are the groups, or a column of integers
// from 0 on; there are as many groups as the dictionary has values, or as the greatest integer says. Rows whose key is
// null are in no group. A negative key, one of 2^24 or more, chunks with different dictionaries, and the mistakes that
// Describe finds are errors that name the column.
func DescribeBy(ctx context.Context, t arrow.Table, key string, names ...string) ([][]Stats, error) {
	keys, err := pick(t, []string{key})
	if err != nil {
		return nil, err
	}
	groups, err := countGroups(ctx, keys[0])
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", key, err)
	}
	picked, err := pick(t, names)
	if err != nil {
		return nil, err
	}
	out := make([][]Stats, len(picked))
	for i, c := range picked {
		if out[i], err = describeBy(ctx, keys[0], c, groups); err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name(), err)
		}
	}
	return out, nil
}

// countGroups returns the number of groups of a key.
func countGroups(ctx context.Context, key *arrow.Column) (int, error) {
	if _, ok := key.DataType().(*arrow.DictionaryType); ok {
		if _, _, err := Source(key).Open(); err != nil || len(key.Data().Chunks()) == 0 {
			return 0, err
		}
		return key.Data().Chunk(0).(*array.Dictionary).Dictionary().Len(), nil
	}
	if !arrow.IsInteger(key.DataType().ID()) {
		return 0, fmt.Errorf("a key of type %s: want integers or a dictionary", key.DataType())
	}
	s, err := describe(ctx, key)
	switch {
	case err != nil:
		return 0, err
	case s.Count == 0:
		return 0, nil
	case s.Min < 0 || s.Max >= mostGroups:
		return 0, fmt.Errorf("keys from %v to %v: want 0 to %d", s.Min, s.Max, mostGroups-1)
	}
	return int(s.Max) + 1, nil
}

// describeBy returns the aggregates of a column for each group.
func describeBy(ctx context.Context, key, c *arrow.Column, groups int) ([]Stats, error) {
	out, parts, nulls := make([]Stats, groups), make([]part, groups), make([]int, groups)
	p, err := compileGroups(key, c, groups)
	if err != nil || groups == 0 {
		return out, err
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: key.DataType()}, {Name: "x", Type: c.DataType()}}, nil)
	first, second := arrow.NewColumn(schema.Field(0), key.Data()), arrow.NewColumn(schema.Field(1), c.Data())
	defer first.Release()
	defer second.Release()
	renamed := array.NewTable(schema, []arrow.Column{*first, *second}, int64(key.Len()))
	defer renamed.Release()
	batches := array.NewTableReader(renamed, 0) // one batch for each stretch of rows within a chunk of both
	defer batches.Release()
	for batches.Next() {
		if err := addGroups(ctx, p, batches.RecordBatch(), parts, nulls); err != nil {
			return nil, err
		}
	}
	for g := range out {
		out[g] = parts[g].stats(c.Name(), nulls[g])
	}
	return out, batches.Err()
}

// addGroups merges the parts of a batch's groups with those so far, and counts the nulls of each group.
func addGroups(ctx context.Context, p *graph.Program, batch arrow.RecordBatch, parts []part, nulls []int) error {
	feeds, err := Feeds(p, batch)
	if err != nil {
		return err
	}
	results, err := p.RunNamed(ctx, feeds)
	if err != nil {
		return err
	}
	columns := make([][]float64, 6) // rows, values, sum, squares, least, greatest
	for i := range columns {
		if columns[i], err = graph.Data[float64](results[fmt.Sprint("out", i)]); err != nil {
			return err
		}
	}
	for g := range parts {
		rows, n := int(columns[0][g]), int(columns[1][g])
		nulls[g] += rows - n
		parts[g] = parts[g].merge(part{n, columns[2][g], columns[3][g], columns[4][g], columns[5][g]})
	}
	return nil
}

// compileGroups returns the program for batches of a key and a column. Its inputs have the names that Feeds fills.
func compileGroups(key, c *arrow.Column, groups int) (*graph.Program, error) {
	kind, ok := columns[c.DataType().ID()]
	if !ok {
		return nil, fmt.Errorf("aggregates of type %s: want numbers or times", c.DataType())
	}
	keys, err := typeOf(key.DataType())
	if err != nil {
		return nil, err
	}
	n := graph.Dim("n")
	k := graph.Input("key", keys, n).Cast(graph.Int64)
	k = graph.Where(graph.Input("valid_key", graph.Bool, n), k, groups)
	v, valid := graph.Input("x", kind.dtype, n).Cast(graph.Float64), graph.Input("valid_x", graph.Bool, n)
	of := graph.Where(valid, k, groups) // where a value is null, the group that is dropped
	ones := valid.Or(true).Cast(graph.Float64)
	count, sum := ones.SegmentSum(of, groups+1), v.SegmentSum(of, groups+1)
	far := v.Sub(sum.Div(count).Take(0, of))
	return graph.Compile(ones.SegmentSum(k, groups+1), count, sum, far.Square().SegmentSum(of, groups+1), v.SegmentMin(of, groups+1), v.SegmentMax(of, groups+1))
}
