//go:build !purego

package avo_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestDifferentialMaxima runs maxima of maxima, some of which are stored too or part of several others.
func TestDifferentialMaxima(t *testing.T) {
	t.Parallel()
	n := 40
	if *long {
		n = 600
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	var ks []kernel.Code
	seen := map[string]bool{}
	for len(ks) < n {
		k := randomMaxima(rnd)
		if k.Verify() == nil && !seen[codegen.Symbol(k)] {
			seen[codegen.Symbol(k)] = true
			ks = append(ks, k)
		}
	}
	differ(t, ks)
}

func randomMaxima(rnd *rand.Rand) kernel.Code {
	d := []ir.DType{ir.Float32, ir.Float64}[rnd.IntN(2)]
	operands := slices.Repeat([]kernel.Operand{{DType: d}}, 2+rnd.IntN(7))
	b := kernel.NewBuilder(operands...)
	var left []kernel.Ref // what is part of no maximum yet, and little that is
	for i := range operands {
		left = append(left, kernel.Ref(i))
	}
	for len(left) > 1 {
		rnd.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		x := b.Op(ir.OpMax, left[0], left[1])
		left = append(left[2-rnd.IntN(6)/5:], x)
		if rnd.IntN(8) == 0 {
			b.Store(x)
		}
	}
	b.Store(left[0])
	k, _ := b.Kernel().Canonical()
	return k
}
