// Package kerneltest checks compiled kernels against their meaning. The tests
// that genkernels writes call it.
package kerneltest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Run checks the registered kernels with the given signatures on every engine
// of this machine: bit for bit against kernel.ReferenceOf (any NaN equals
// any other), on edge cases of the element types and on random elements, for block
// sizes round the widths of vectors and up to the limits of the kernel, at odd
// addresses, with steps that repeat, skip and go backwards, in place, and with a guard
// round every operand.
//
// A portable kernel must exist for each signature. Assembly for AVX2 must exist for all
// or none, as a machine or a build tag may rule it out. AVX-512 has some.
func Run(t *testing.T, sigs ...string) {
	t.Helper()
	engines := map[abi.Engine]int{}
	for _, sig := range sigs {
		c, err := kernel.ParseCode(sig)
		if err != nil {
			t.Errorf("%s: %v", sig, err)
			continue
		}
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, sig)
			if !ok {
				continue
			}
			engines[e]++
			if _, err := Check(c, fn, seed(sig), Heap); err != nil {
				t.Errorf("%s kernel\n\t%s\n%v", e, sig, err)
			}
		}
	}
	t.Logf("kernels checked: %v of %d", engines, len(sigs))
	if n := engines[abi.Portable]; n != len(sigs) {
		t.Errorf("%d of %d signatures have a portable kernel", n, len(sigs))
	}
	if n := engines[abi.AVX2]; n != len(sigs) && n != 0 {
		t.Errorf("%d of %d signatures have an avx2 kernel", n, len(sigs))
	}
}

func seed(sig string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(sig))
	return h.Sum64()
}

// Check runs a kernel on blocks of all kinds, in memory of a kind. It returns how many
// there were.
func Check(c kernel.Code, fn func(*abi.Frame), seed uint64, memory Memory) (calls int, err error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	meaning := kernel.ReferenceOf(c, elementary.Expand)
	run := func(b *block) error {
		calls++
		return b.run(meaning, fn)
	}
	if s, ok := edges(c); ok {
		if err := run(newBlock(c, rng, s, crossed, memory)); err != nil {
			return calls, err
		}
	}
	for _, s := range sizesOf(c, rng) {
		if err := run(newBlock(c, rng, s, []source{tame, mixed, mixed}[rng.IntN(3)], memory)); err != nil {
			return calls, err
		}
	}
	for _, p := range placements(c) {
		for _, cols := range []int{3, 7, 8, 21, 37, 100} {
			if err := run(inPlace(c, rng, p, cols, memory)); err != nil {
				return calls, fmt.Errorf("operand %d in place of operand %d: %w", p.out, p.in, err)
			}
		}
	}
	return calls, nil
}

// placement is an output that is stored where an input was.
type placement struct{ in, out int }

// placements lists those that a kernel allows: of elements of the same type and place.
func placements(c kernel.Code) []placement {
	if !kernel.InPlace(c) {
		return nil
	}
	var all []placement
	args := c.Args()
	for i, in := range args {
		for o, out := range args {
			if !in.Out && out.Out && in.Inner == kernel.Cols && in.DType == out.DType && in.Factor == out.Factor && in.Inner == out.Inner && in.Outer == out.Outer {
				all = append(all, placement{i, o})
			}
		}
	}
	return all
}

// inPlace makes a block of which an output is the memory of an input.
func inPlace(c kernel.Code, rng *rand.Rand, p placement, cols int, memory Memory) *block {
	s := size{rows: 3, cols: cols, fields: make([]int, len(c.Fields()))}
	for _, l := range kernel.LimitsOf(c) {
		if l.Extent >= kernel.Field0 {
			s.fields[l.Extent-kernel.Field0] = l.Least
		}
	}
	for {
		b := newBlock(c, rng, s, mixed, memory)
		if in := b.ops[p.in]; in.outer != 0 && in.inner != 0 { // lines and elements apart
			b.ops[p.out] = in
			if across := b.args[p.out].Across; across != kernel.One {
				b.fields[across-kernel.Field0] = in.inner
			}
			return b
		}
	}
}
