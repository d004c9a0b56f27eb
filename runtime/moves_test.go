package runtime

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFindMoves compares each tensor with each: the outputs that meet another one move. None
// of them are computed in place.
func TestFindMoves(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		st := state{l: &Linked{}}
		n := 1 + rnd.IntN(12)
		ins := rnd.IntN(n + 1)
		for k := range n {
			first := uintptr(1 + rnd.IntN(60))
			st.span = append(st.span, span{first, first + uintptr(1+rnd.IntN(8)), k >= ins, k})
		}
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
		st.findMoves()
		require.Equal(t, want, st.moves, all)
	}
}
