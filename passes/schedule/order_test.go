package schedule

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestOrderOfLateReaders has a recurrence each step of which a sum reads that begins last in the body: the steps do not
// wait for it in registers.
func TestOrderOfLateReaders(t *testing.T) {
	const steps = 20
	var calls []tileInst
	call := func(value int, args ...kernel.Ref) {
		calls = append(calls, tileInst{value: kernel.Ref(value), args: args, out: -1})
	}
	x := func(i int) kernel.Ref { return kernel.Ref(1 + 2*i) } // steps of two values; 0 is an input
	for i := range steps {
		before := kernel.Ref(0)
		if i > 0 {
			before = x(i - 1)
		}
		call(int(x(i))+1, before)
		call(int(x(i)), before, x(i)+1)
	}
	sum := 2*steps + 1
	call(sum, 0)
	for i := range steps {
		call(sum+1+i, kernel.Ref(sum+i), x(i))
	}
	values := sum + steps + 1
	_, live := newArrangement(calls, values).order()
	require.Greater(t, live, steps)
	c := tiling{e: &elemWriter{t: &target{Machine: tuning.Default(1)}}, perTile: calls, values: make([]value, values)}
	c.arrange()
	require.LessOrEqual(t, c.live, 4)
	computed := map[kernel.Ref]bool{0: true}
	for _, i := range c.perTile {
		for _, a := range i.args {
			require.True(t, computed[a], fmt.Sprint(a))
		}
		computed[i.value] = true
	}
	require.Len(t, c.perTile, len(calls))
}
