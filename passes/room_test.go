package passes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// TestSlab: lists are zeros, apart from one another, and taken anew once the slab is empty.
func TestSlab(t *testing.T) {
	var m slab[int]
	a, b := m.take(3), m.take(4)
	copy(a, []int{1, 2, 3})
	require.Equal(t, []int{0, 0, 0, 0}, b)
	require.Equal(t, 3, cap(a), "an append would write into the next list")
	long := m.take(mostElems)
	require.Len(t, long, mostElems)
	for range 10 { // more than a block
		m.take(mostElems / 5)[0] = 7
	}
	require.Equal(t, []int{1, 2, 3}, a)
	m.empty()
	require.Equal(t, make([]int, mostElems/4), m.take(mostElems/4))
}

// TestStatesAreEmpty: the memory that a graph leaves to the next has nothing of it, and the plan has none of that memory.
func TestStatesAreEmpty(t *testing.T) {
	texts := []string{
		`func f(%x: f32[1000], %y: f32[1000]) {
  %0 = mul %x, %y : f32[1000]
  %1 = add %0, %x : f32[1000]
  return %1
}`, `func f(%x: f32[64,128]) {
  %0 = sum %x axes=[1]       : f32[64]
  %1 = unsqueeze %0 axes=[1] : f32[64,1]
  %2 = sub %x, %1            : f32[64,128]
  return %2
}`, `func f(%x: f32[100,50]) {
  %0 = cumsum %x axis=1 : f32[100,50]
  %1 = neg %0           : f32[100,50]
  return %1
}`,
	}
	plans := make([]string, len(texts))
	for range 3 {
		for i, text := range texts {
			f := parse(t, text)
			p, err := Lower(f, Options{Verify: true})
			require.NoError(t, err)
			if plans[i] == "" {
				plans[i] = p.String()
			}
			require.Equal(t, plans[i], p.String())
			s, ok := keptStates.Get().(*State)
			if !ok {
				continue // the race detector has pools drop some
			}
			for _, r := range []*room{&s.pass, &s.whole} {
				allZeros(t, r.numbers.block)
				allZeros(t, r.ints.block)
				allZeros(t, r.flags.block)
				allZeros(t, r.values.block)
				allZeros(t, r.readings.block)
			}
			allZeros(t, s.groupLists.block)
			for _, g := range s.made.block {
				require.Zero(t, g)
			}
			require.Nil(t, s.Func)
			require.Nil(t, s.Plan)
			allZeros(t, s.space.all[:cap(s.space.all)])
			keptStates.Put(s)
			require.Equal(t, plans[i], p.String(), "the plan has memory that was left")
		}
	}
}

func allZeros[T comparable](t *testing.T, list []T) {
	var zero T
	for i, x := range list {
		require.Equal(t, zero, x, "element %d", i)
	}
}

// TestLargeStatesGo: the memory of a large graph is not kept.
func TestLargeStatesGo(t *testing.T) {
	f := &ir.Func{}
	x := f.Param("x", ir.Type{DType: ir.Float32, Shape: ir.ShapeOf(10)}, nil)
	for range mostKept {
		y, err := f.Add(ir.OpAdd, ir.Attr{}, ir.Pos{}, x, x)
		require.NoError(t, err)
		x = y
	}
	f.Results = []*ir.Value{x}
	s := newState(f, Options{})
	s.whole.ints.take(1)
	s.leave()
	require.NotNil(t, s.whole.ints.block, "it was not emptied for a next graph")
}
