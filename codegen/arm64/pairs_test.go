package arm64

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestPairs: the main loops of a sum, and of two arrays, access two vectors at once. The first access advances the pointer.
func TestPairs(t *testing.T) {
	for signature, want := range map[string][]string{
		"reduce [add] kernel (u0:f32) { store u0 }": {
			"ldp q0, q1, [x10], #128", "fadd v30.4s, v30.4s, v0.4s", "fadd v29.4s, v29.4s, v1.4s",
			"ldp q0, q1, [x10, #-96]", "fadd v28.4s, v28.4s, v0.4s", "fadd v27.4s, v27.4s, v1.4s",
			"ldp q0, q1, [x10, #-64]", "fadd v26.4s, v26.4s, v0.4s", "fadd v25.4s, v25.4s, v1.4s",
			"ldp q0, q1, [x10, #-32]", "fadd v24.4s, v24.4s, v0.4s", "fadd v23.4s, v23.4s, v1.4s",
		},
		"kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }": {
			"ldp q0, q3, [x10], #32", "ldp q1, q2, [x11], #32", "fadd v0.4s, v0.4s, v1.4s", "fadd v1.4s, v3.4s, v2.4s", "stp q0, q1, [x12], #32",
		},
	} {
		code, err := kernel.ParseCode(signature)
		require.NoError(t, err)
		p, err := NEON().Program(code)
		require.NoError(t, err)
		text := loopText(t, p, "loop")
		require.Equal(t, want, text[:len(want)], signature)
		require.Len(t, text, len(want)+2) // the count and the jump
	}
}

// TestRaise moves a load only if the value has a register there.
func TestRaise(t *testing.T) {
	load := func(to, disp int) vector.Inst {
		return vector.Inst{Op: vector.OpLoad, Dst: to, Src: []vector.Loc{{Space: vector.InOperand, Place: vector.PlaceOf(0, 4, disp, 16)}}}
	}
	reg := func(n int) vector.Loc { return vector.Loc{Index: n} }
	add, accumulate, mask := NEON().opcode("FADD.4S"), NEON().opcode("FMLA.4S"), vector.OpMask
	list := func(last vector.Inst) []vector.Inst {
		return []vector.Inst{load(0, 0), {Op: add, Dst: 1, Src: []vector.Loc{reg(0), reg(0)}}, load(0, 16), last, {Op: add, Dst: 2, Src: []vector.Loc{reg(0), reg(1)}}}
	}
	sources := func(i vector.Inst) (at []int) {
		for _, s := range i.Src {
			at = append(at, s.Index)
		}
		return at
	}

	moved := pairAccesses(list(vector.Inst{Op: add, Dst: 0, Src: []vector.Loc{reg(0), reg(1)}}), nil)
	require.Equal(t, vector.OpLoad, moved[1].Op)
	require.Equal(t, 3, moved[1].Dst)
	require.Equal(t, []int{3, 1}, sources(moved[3]), "the sum reads the other register")
	require.Equal(t, []int{0, 1}, sources(moved[4]), "what reads the sum does not")

	moved = pairAccesses(list(vector.Inst{Op: accumulate, Over: 2, Dst: 0, Src: []vector.Loc{reg(1), reg(1), reg(0)}}), nil)
	require.Equal(t, 3, moved[3].Dst, "a sum over the loaded value is where that is")
	require.Equal(t, []int{3, 1}, sources(moved[4]))

	require.NotEqual(t, vector.OpLoad, pairAccesses(list(vector.Inst{Op: mask, Dst: 0}), nil)[1].Op)

	var all []vector.Pin
	for r := 3; r < machine.Registers; r++ {
		all = append(all, vector.Pin{Reg: r})
	}
	require.NotEqual(t, vector.OpLoad, pairAccesses(list(vector.Inst{Op: add, Dst: 0, Src: []vector.Loc{reg(0), reg(1)}}), all)[1].Op, "no register is free")
}
