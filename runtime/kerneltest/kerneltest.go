// Package kerneltest checks compiled kernels against their definition. The tests that genkernels writes call it.
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

// Run checks the registered kernels with the given signatures on every engine of this machine, bit for bit against
// kernel.ReferenceOf (all NaNs are equal). It covers edge cases of the element types and random elements; block sizes
// around the widths of vectors and up to the limits of the kernel; odd addresses; steps that repeat, skip and go
// backwards; outputs in place of inputs. Each operand has guard bytes around it.
//
// Each signature must have a portable kernel. AVX2 assembly must exist for all signatures or none, since a machine or a
// build tag may exclude it. AVX-512 exists for some.
func Run(t *testing.T, sigs ...string) {
	t.Helper()
	engines := map[abi.Engine]int{}
	for _, sig := range sigs {
		c, err := kernel.ParseCode(sig)
		if err != nil {
			t.Errorf("%s: %v", sig, err)
			continue
		}
		var forms []Form
		for e := range abi.Best() + 1 {
			if fn, ok := abi.Lookup(e, sig); ok {
				engines[e]++
				forms = append(forms, Form{e.String(), fn})
			}
		}
		if _, err := Check(c, seed(sig), Heap, forms...); err != nil {
			t.Errorf("%s\n\t%v", sig, err)
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

// Form is a compiled form of a kernel, such as that of an engine.
type Form struct {
	Name string // in errors
	Call func(*abi.Frame)
}

// Check runs forms of one kernel on blocks of all kinds, in the given kind of memory: all forms on the same blocks, whose results the
// definition computes once. It returns the number of blocks.
func Check(c kernel.Code, seed uint64, memory Memory, forms ...Form) (blocks int, err error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	meaning := kernel.ReferenceOf(c, elementary.Expand)
	run := func(b *block) error {
		blocks++
		return b.run(meaning, forms)
	}
	if s, ok := edges(c); ok {
		if err := run(newBlock(c, rng, s, crossed, memory)); err != nil {
			return blocks, err
		}
	}
	for _, s := range sizesOf(c, rng) {
		if err := run(newBlock(c, rng, s, []source{tame, mixed, mixed}[rng.IntN(3)], memory)); err != nil {
			return blocks, err
		}
	}
	for _, p := range placements(c) {
		for _, cols := range []int{3, 7, 8, 21, 37, 100} {
			if err := run(inPlace(c, rng, p, cols, memory)); err != nil {
				return blocks, fmt.Errorf("operand %d in place of operand %d: %w", p.out, p.in, err)
			}
		}
	}
	return blocks, nil
}

// placement is an output stored in the memory of an input.
type placement struct{ in, out int }

// placements lists the placements that a kernel allows: input and output have the same type and layout.
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

// inPlace makes a block in which an output has the memory of an input.
func inPlace(c kernel.Code, rng *rand.Rand, p placement, cols int, memory Memory) *block {
	s := size{rows: 3, cols: cols, fields: make([]int, len(c.Fields()))}
	for _, l := range kernel.LimitsOf(c) {
		if l.Extent >= kernel.Field0 {
			s.fields[l.Extent-kernel.Field0] = l.Least
		}
	}
	for {
		b := newBlock(c, rng, s, mixed, memory)
		if in := b.ops[p.in]; in.outer != 0 && in.inner != 0 { // lines and elements have distinct memory
			b.ops[p.out] = in
			if across := b.args[p.out].Across; across != kernel.One {
				b.fields[across-kernel.Field0] = in.inner
			}
			return b
		}
	}
}
