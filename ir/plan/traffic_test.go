package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestPart: what a step stores is a part of an array if it is the elements of a range of each axis, in any order.
func TestPart(t *testing.T) {
	for _, c := range []struct {
		extents, strides []int
		offset           int
		from, to         []int // of an array of 6 x 8; nil if it is no part
	}{
		{[]int{6, 8}, []int{8, 1}, 0, []int{0, 0}, []int{6, 8}},
		{[]int{48}, []int{1}, 0, []int{0, 0}, []int{6, 8}},
		{[]int{2, 3}, []int{8, 1}, 8 + 2, []int{1, 2}, []int{3, 5}},
		{[]int{3, 2}, []int{1, 8}, 8 + 2, []int{1, 2}, []int{3, 5}},
		{[]int{2, 3}, []int{-8, -1}, 2*8 + 4, []int{1, 2}, []int{3, 5}},
		{[]int{2, 2, 4}, []int{16, 8, 1}, 0, []int{0, 0}, []int{4, 4}},
		{[]int{1}, []int{0}, 11, []int{1, 3}, []int{2, 4}},
		{[]int{4}, []int{2}, 0, nil, nil},       // a step
		{[]int{2, 2}, []int{2, 3}, 0, nil, nil}, // neighbors missing
		{[]int{6}, []int{9}, 0, nil, nil},       // a diagonal
		{[]int{6}, []int{1}, 5, nil, nil},       // the end of a row and the beginning of the next
		{[]int{0, 8}, []int{8, 1}, 0, nil, nil},
	} {
		s := plan.Step{Out: []plan.Output{{Access: plan.Access{Offset: c.offset, Strides: c.strides}}}}
		for _, n := range c.extents {
			s.Axes = append(s.Axes, plan.Axis{Extent: n})
		}
		p := plan.Plan{Buffers: []plan.Buffer{{Kind: plan.TempBuffer, DType: ir.Float32, Shape: []int{6, 8}}}, Steps: []plan.Step{s}}
		from, to, ok := p.Part(0, 0)
		require.Equal(t, c.from != nil, ok, "%v %v", c.extents, c.strides)
		if ok {
			require.Equal(t, c.from, from)
			require.Equal(t, c.to, to)
		}
	}
}

// TestMoves: an element that a step reads twice counts once, and what a step of a row group has read counts no more for those behind it.
func TestMoves(t *testing.T) {
	read := func(offset int, strides ...int) plan.Access { return plan.Access{Offset: offset, Strides: strides} }
	for _, c := range []struct {
		what    string
		extents []int
		in      []plan.Access // of an array of 100 x 100
		elems   int
	}{
		{"the same twice", []int{100, 100}, []plan.Access{read(0, 100, 1), read(0, 100, 1)}, 10000},
		{"the same columns twice", []int{100, 10}, []plan.Access{read(5, 100, 1), read(5, 100, 1)}, 1000},
		{"every second element twice", []int{100, 50}, []plan.Access{read(0, 100, 2), read(0, 100, 2)}, 5000},
		{"even and odd columns", []int{100, 50}, []plan.Access{read(0, 100, 2), read(1, 100, 2)}, 10000},
		{"one backwards", []int{100, 100}, []plan.Access{read(0, 100, 1), read(9999, -100, -1)}, 10000},
		{"two parts", []int{10, 100}, []plan.Access{read(0, 100, 1), read(5000, 100, 1)}, 2000},
		{"neighbouring rows", []int{98, 100}, []plan.Access{read(0, 100, 1), read(100, 100, 1), read(200, 100, 1)}, 10000},
		{"columns that overlap", []int{100, 10}, []plan.Access{read(0, 100, 1), read(1, 100, 1)}, 1100},
		{"a cross of five", []int{98, 98}, []plan.Access{read(1, 100, 1), read(100, 100, 1), read(101, 100, 1), read(102, 100, 1), read(201, 100, 1)}, 9998}, // two of four corners count
		{"windows of some columns", []int{100, 8, 3}, []plan.Access{read(20, 100, 1, 1)}, 1000},
		{"a diagonal", []int{100}, []plan.Access{read(0, 101)}, 100},
		{"nothing", []int{0, 100}, []plan.Access{read(0, 100, 1)}, 0},
	} {
		s := plan.Step{In: c.in, Out: []plan.Output{{Access: plan.Access{Buffer: 1, Strides: make([]int, len(c.extents))}}}}
		for _, n := range c.extents {
			s.Axes = append(s.Axes, plan.Axis{Extent: n})
		}
		p := plan.Plan{Buffers: []plan.Buffer{{Kind: plan.ParamBuffer, DType: ir.Float32, Shape: []int{100, 100}}, {Kind: plan.TempBuffer, DType: ir.Float32}}, Steps: []plan.Step{s, s}}
		for i := range p.Steps {
			got, _ := p.Traffic(i)
			require.Equal(t, 4*c.elems, got, "%s, step %d", c.what, i)
		}
		p.Rows = []plan.RowGroup{{First: 0, Last: 1}}
		first, _ := p.Traffic(0)
		second, _ := p.Traffic(1)
		require.Equal(t, []int{4 * c.elems, 0}, []int{first, second}, c.what)
	}
}

// TestMovesOfAny: the bytes of random slices are those of their elements or more, and no more than the slices have one by one.
func TestMovesOfAny(t *testing.T) {
	const rows, cols = 6, 8
	rapid.Check(t, func(t *rapid.T) {
		extents := []int{rapid.IntRange(1, rows).Draw(t, "rows"), rapid.IntRange(1, cols).Draw(t, "columns")}
		s := plan.Step{Axes: []plan.Axis{{Extent: extents[0]}, {Extent: extents[1]}}}
		elems := map[int]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "slices") {
			step := [2]int{}
			for k, n := range []int{rows, cols} {
				step[k] = rapid.IntRange(1, max(1, (n-1)/max(1, extents[k]-1))).Draw(t, "step")
			}
			at := rapid.IntRange(0, rows-1-(extents[0]-1)*step[0]).Draw(t, "row")*cols + rapid.IntRange(0, cols-1-(extents[1]-1)*step[1]).Draw(t, "column")
			s.In = append(s.In, plan.Access{Offset: at, Strides: []int{cols * step[0], step[1]}})
			for i := range extents[0] {
				for k := range extents[1] {
					elems[at+cols*step[0]*i+step[1]*k] = true
				}
			}
		}
		p := plan.Plan{Buffers: []plan.Buffer{{Kind: plan.ParamBuffer, DType: ir.Uint8, Shape: []int{rows, cols}}}, Steps: []plan.Step{s}}
		got, _ := p.Traffic(0)
		if got < len(elems) || got > len(s.In)*extents[0]*extents[1] || len(s.In) == 1 && got != len(elems) {
			t.Fatalf("%d bytes of %d: %v over %v", got, len(elems), s.In, extents)
		}
	})
}
