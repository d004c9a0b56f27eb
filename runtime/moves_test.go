package runtime

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestFindMoves compares each tensor with each: the outputs that meet another one move. None
// of them are computed in place. Tensors without elements overlap none.
func TestFindMoves(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	memory := make([]byte, 100)
	for range 2000 {
		l := &Linked{}
		n := 1 + rnd.IntN(16)
		st := state{l: l, bases: make([]unsafe.Pointer, n)}
		ins, space := rnd.IntN(n+1), 20+rnd.IntN(60)
		for k := range n {
			b := &buffer{number: k, kind: plan.ParamBuffer, elems: rnd.IntN(8)}
			if b.elems > 0 {
				st.bases[k] = unsafe.Pointer(&memory[8+rnd.IntN(space)])
				b.first = -uintptr(rnd.IntN(b.elems))
				b.end = b.first + uintptr(b.elems)
			}
			if k < ins {
				l.params = append(l.params, b)
			} else {
				b.kind = plan.ResultBuffer
				l.results = append(l.results, b)
			}
		}
		st.listSpans()
		var want []spareOut
		for i, a := range st.span {
			meets := false
			for j, b := range st.span {
				meets = meets || i != j && a.first < b.end && b.first < a.end
			}
			if a.isOut && meets {
				want = append(want, spareOut{out: a.index})
			}
		}
		all := fmt.Sprint(st.span)
		if len(l.results)*n <= fewPairs {
			require.Equal(t, len(want) > 0, st.mayMeet(), all)
		}
		st.findMoves()
		require.Equal(t, want, st.moves, all)
	}
}
