// Package kerneltest checks compiled kernels against their meaning. The tests
// that genkernels writes call it.
package kerneltest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Run checks the registered kernels with the given signatures on every engine
// of this machine: bit for bit against ir's evaluator (any NaN equals any
// other), on edge cases of the element types and on random elements, for block
// sizes round the widths of vectors, at odd addresses, with steps that repeat,
// skip and go backwards, in place, and with a guard round every operand.
//
// A portable kernel must exist for each signature. Assembly must exist for all
// or none, as a machine or a build tag may rule it out.
func Run(t *testing.T, sigs ...string) {
	t.Helper()
	engines := map[abi.Engine]int{}
	for _, sig := range sigs {
		k, err := kernel.ParseKernel(sig)
		if err != nil {
			t.Errorf("%s: %v", sig, err)
			continue
		}
		for _, e := range []abi.Engine{abi.Portable, abi.AVX2} {
			fn, ok := abi.Lookup(e, sig)
			if !ok || e == abi.AVX2 && !abi.HasAVX2() {
				continue
			}
			engines[e]++
			if err := check(elementary.Expand(k), fn, seed(sig)); err != nil {
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

// widths are the columns of the blocks: round 4, 8, 16 and 32 lanes, and the
// double of each.
var widths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 23, 31, 32, 33, 63, 64, 65, 67, 130}

// foldWidths are more columns for kernels with folds: whole rounds of the lanes
// and parts of one, up to a chunk.
var foldWidths = []int{2, 6, 12, 20, 24, 28, 32, 40, 56, 96, 101, 512, ir.FoldChunk - 9, ir.FoldChunk}

// check runs a kernel on blocks of all kinds.
func check(k *kernel.Kernel, fn func(*abi.Frame), seed uint64) error {
	switch {
	case k.Dots():
		return checkDot(k, fn, seed)
	case k.Transposes():
		return checkTranspose(k, fn, seed)
	case k.Down:
		return checkDown(k, fn, seed)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	blocks := []*block{newBlock(k, rng, edgeCount, edgeCount, crossed), newBlock(k, rng, 0, 5, mixed)}
	for i, cols := range widths {
		blocks = append(blocks, newBlock(k, rng, 1+i%3, cols, mixed))
	}
	if k.Fold != nil {
		for i, cols := range foldWidths {
			blocks = append(blocks, newBlock(k, rng, 3-i%3, cols, tame))
		}
		for _, pairs := range [][2]int{{2, 255}, {4, 256}, {7, 257}, {5, 512}, {3, ir.FoldChunk - 9}} {
			blocks = append(blocks, newBlock(k, rng, pairs[0], pairs[1], mixed))
		}
	}
	for _, b := range blocks {
		if err := b.run(fn); err != nil {
			return err
		}
	}
	out := 0
	for out < len(k.Out) && k.FoldOf(out) != ir.OpInvalid && !k.Scans() {
		out++
	}
	for i, in := range k.In {
		if out == len(k.Out) || in.Splat || in.DType != k.OutType(out) {
			continue
		}
		for _, cols := range []int{7, 37, 100} {
			if err := inPlace(k, rng, i, out, cols).run(fn); err != nil {
				return fmt.Errorf("in place of operand %d: %w", i, err)
			}
		}
	}
	return nil
}

// inPlace makes a block of which an output, the first that is stored, is the
// memory of input i.
func inPlace(k *kernel.Kernel, rng *rand.Rand, i, out, cols int) *block {
	for {
		b := newBlock(k, rng, 3, cols, mixed)
		if b.ops[i].step != 0 { // rows apart
			b.ops[len(k.In)+out] = b.ops[i]
			return b
		}
	}
}
