package schedule

import (
	"hash/maphash"
	"slices"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The kernels of patterns depend only on what the instructions compute.

// patternKey identifies what a pattern computes, up to the canonical form of its kernel.
type patternKey struct {
	n, ins  int8
	fast    bool
	repeats bool // a value is read several times
	insts   [maxPattern]patternInst
	in      [maxPatternArgs]kernel.Operand
}

// patternInst is an instruction of a pattern. Argument i >= 0 is operand i of the pattern, ^m instruction m.
type patternInst struct {
	op    ir.Op
	dtype ir.DType
	args  [3]int8
}

// keyOf returns the key and the operands of the pattern of some instructions. A value that is read several times is one operand
// if shared, else one for each read. With perRow, splats are operands with one column; with tables, constants are.
func (c *tiling) keyOf(insts []kernel.Ref, perRow, shared, tables bool) (key patternKey, args [maxPatternArgs]kernel.Ref) {
	var sorted [maxPattern]kernel.Ref // the last value first, as each is computed from earlier ones
	for n, r := range insts {
		at := n
		for ; at > 0 && sorted[at-1] < r; at-- {
			sorted[at] = sorted[at-1]
		}
		sorted[at] = r
	}
	insts = sorted[:len(insts)]
	key.n, key.fast = int8(len(insts)), c.k.Fast
	for m, r := range insts {
		in := c.k.Inst(r)
		row := &key.insts[m]
		row.op, row.dtype = in.Op, in.DType
		if (in.Op == ir.OpCast || in.Op == ir.OpBitcast) && in.DType == c.values[in.Args[0]].dtype {
			row.op = ir.OpCopy // there are no kernels for conversions to the same type
		}
		for i, a := range in.Args[:in.Arity()] {
			if inside := slices.Index(insts, a); inside >= 0 {
				row.args[i] = ^int8(inside)
				continue
			}
			if at := slices.Index(args[:key.ins], a); at >= 0 {
				key.repeats = true
				if shared {
					row.args[i] = int8(at)
					continue
				}
			}
			v := &c.values[a]
			key.in[key.ins] = kernel.Operand{DType: v.dtype, Splat: v.splat && !perRow && !(tables && v.constant)}
			args[key.ins] = a
			row.args[i] = key.ins
			key.ins++
		}
	}
	return key, args
}

// has reports whether the library has an instruction on contiguous operands of a type.
func (c *tiling) has(in kernel.Inst, d ir.DType) bool {
	if in.DType == d && in.Op == ir.OpCast {
		return false
	}
	key := patternKey{n: 1, ins: int8(in.Op.Info().Arity), fast: c.body.Fast}
	key.insts[0] = patternInst{op: in.Op, dtype: in.DType, args: [3]int8{0, 1, 2}}
	for i := range key.ins {
		key.in[i] = kernel.Operand{DType: d}
	}
	if in.Op.Info().Mask {
		key.in[0].DType = ir.Bool
	}
	_, ok := c.e.t.lib.Engine(kernelOf(&key).k.Signature())
	return ok
}

// patternKernel is the kernel of a pattern, and which operand of the pattern each of its operands is.
type patternKernel struct {
	key   patternKey
	k     *kernel.Kernel
	order []int
}

// patternKernels caches results of kernelOf at the hash of their key. Each place keeps the last one. Most patterns are looked
// up again and again.
var patternKernels [1 << 12]atomic.Pointer[patternKernel]

var patternSeed = maphash.MakeSeed()

func kernelOf(key *patternKey) *patternKernel {
	at := &patternKernels[maphash.Comparable(patternSeed, *key)%uint64(len(patternKernels))]
	if p := at.Load(); p != nil && p.key == *key {
		return p
	}
	k, order := key.kernel().Canonical()
	p := &patternKernel{*key, k, order}
	at.Store(p)
	return p
}

// kernel writes the pattern as a body.
func (key *patternKey) kernel() *kernel.Kernel {
	k := &kernel.Kernel{In: slices.Clone(key.in[:key.ins]), Fast: key.fast}
	first := kernel.Ref(key.ins + key.n - 1) // of insts; those that it reads come before it
	for m := key.n - 1; m >= 0; m-- {
		row := key.insts[m]
		in := kernel.Inst{Op: row.op, DType: row.dtype}
		for i, a := range row.args {
			in.Args[i] = kernel.Ref(a)
			if a < 0 {
				in.Args[i] = first - kernel.Ref(^a)
			}
		}
		k.Body = append(k.Body, in)
	}
	k.Out = []kernel.Ref{first}
	return k
}
