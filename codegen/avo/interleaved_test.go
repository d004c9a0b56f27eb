//go:build !purego

package avo_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestDifferentialInterleaved runs kernels of interleaved operands on both engines: copies of all types and factors
// in every direction, and random bodies.
func TestDifferentialInterleaved(t *testing.T) {
	t.Parallel()
	ks := interleavedCopies(t)
	n := 60
	if *long {
		n = 1500
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	seen := map[string]bool{}
	for range n {
		if k := randomInterleaved(rnd.IntN); k.Verify() == nil && !seen[codegen.Symbol(k)] {
			seen[codegen.Symbol(k)] = true
			ks = append(ks, k)
		}
	}
	files, err := codegen.Generate(codegen.Options{Package: "main"}, ks)
	require.NoError(t, err)
	differ(t, ks, files[0])
}

// interleavedCopies returns the kernels that deinterleave operands, interleave them, and reverse their order, each with
// an operation that keeps the bits.
func interleavedCopies(t *testing.T) (ks []kernel.Code) {
	for _, d := range kernel.InterleavedTypes.List() {
		for of := 2; of <= kernel.MaxFactor; of++ {
			var units, group, body, apart, reversed []string
			for i := range of {
				units, group = append(units, fmt.Sprintf("u%d:%s", i, d.Text())), append(group, fmt.Sprintf("u%d", i))
				body, apart = append(body, fmt.Sprintf("t%d = copy u%d;", i, i)), append(apart, fmt.Sprintf("t%d", i))
				reversed = append(reversed, fmt.Sprintf("t%d", of-1-i))
			}
			in, ops, out, back := strings.Join(group, " "), strings.Join(body, " "), strings.Join(apart, " "), strings.Join(reversed, " ")
			for _, text := range []string{
				fmt.Sprintf("kernel ((%s):%s) { %s store %s }", in, d.Text(), ops, out),
				fmt.Sprintf("kernel (%s) { %s store (%s) }", strings.Join(units, ", "), ops, out),
				fmt.Sprintf("kernel ((%s):%s) { %s store (%s) }", in, d.Text(), ops, back),
			} {
				k, err := kernel.ParseKernel(text)
				require.NoError(t, err)
				k, _ = k.Canonical()
				ks = append(ks, k)
			}
		}
	}
	return ks
}

// randomInterleaved builds a canonical kernel of which some operands are interleaved, with the numbers that draw returns.
func randomInterleaved(draw func(n int) int) *kernel.Kernel {
	types := kernel.InterleavedTypes.List()
	var operands []kernel.Operand
	for range 1 + draw(3) {
		d, of := types[draw(len(types))], 2+draw(kernel.MaxFactor-1)
		for i := range of {
			operands = append(operands, kernel.Operand{DType: d, Member: kernel.Member{At: uint8(i), Of: uint8(of)}})
		}
	}
	for range draw(4) {
		operands = append(operands, kernel.Operand{DType: types[draw(len(types))], Splat: draw(2) == 0})
	}
	g := &generator{Builder: kernel.NewBuilder(operands...), draw: draw, inputs: len(operands)}
	for i := range operands {
		g.vals = append(g.vals, kernel.Ref(i))
	}
	for range 1 + draw(16) {
		g.step(draw(2) == 0)
	}
	k := g.Kernel()
	for range 1 + draw(3) {
		r, _ := g.pick(ir.AllTypes)
		of := draw(kernel.MaxFactor + 1)
		if of < 2 || !kernel.InterleavedTypes.Has(g.DType(r)) {
			g.Store(r)
			k.OutMember = append(k.OutMember, kernel.Member{})
			continue
		}
		for i := range of {
			g.Store(r)
			k.OutMember = append(k.OutMember, kernel.Member{At: uint8(i), Of: uint8(of)})
			r, _ = g.pick(ir.SetOf(g.DType(r)))
		}
	}
	k, _ = k.Canonical()
	return k
}
