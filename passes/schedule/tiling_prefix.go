package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The chain at the beginning of a tiling. A body that begins with a chain of products, each of which is added to the one
// before, has one kernel for as much of the chain, and of what follows it, as the library has. That kernel is longer than the
// patterns of select.go, so no sum of a part of the chain is in memory.

// leastChain is how many products such a chain has at least: patterns have the shorter ones.
const leastChain = maxSteps + 1

// longestEpilogue is how many instructions the kernels of chains have behind it at most.
const longestEpilogue = 3

// prefix is the kernel of the first instructions of a body.
type prefix struct {
	last   kernel.Ref // its value
	inst   tileInst
	engine string
	ops    float64
}

// findPrefix returns the kernel of the most instructions from the first on, nil if there is none.
func (c *tiling) findPrefix() *prefix {
	chain := 0
	for j := range c.k.Body {
		in := &c.k.Body[j]
		if c.values[len(c.k.In)+j].splat || in.Op != ir.OpFMA && (j > 0 || in.Op != ir.OpMul) || j > 0 && in.Args[2] != kernel.Ref(len(c.k.In)+j-1) {
			break
		}
		chain++
	}
	if chain < leastChain {
		return nil
	}
	for n := min(chain+longestEpilogue, len(c.k.Body)-1); n >= leastChain; n-- { // for the whole body there is strategy whole
		if p := c.prefixOf(n); p != nil {
			return p
		}
	}
	return nil
}

// prefixOf returns the kernel of the first n instructions, nil if there is none, or another instruction
// reads a value of theirs but the last.
func (c *tiling) prefixOf(n int) *prefix {
	ins := len(c.k.In)
	k := &kernel.Kernel{Body: slices.Clone(c.k.Body[:n]), Out: []kernel.Ref{0}, Fast: c.k.Fast}
	var from []kernel.Ref // the input of the body that each of the kernel's is
	ops := 0.0
	for j := range k.Body {
		in := &k.Body[j]
		ops += in.Op.Info().Cost
		reads := j == 0
		for _, a := range in.Args[:in.Arity()] {
			if int(a) < ins && !slices.Contains(from, a) {
				from = append(from, a)
				k.In = append(k.In, c.k.In[a])
			}
			reads = reads || int(a) == ins+j-1
		}
		if !reads || j < n-1 && !c.values[ins+j].inner {
			return nil
		}
	}
	for j := range k.Body {
		in := &k.Body[j]
		for i, a := range in.Args[:in.Arity()] {
			if int(a) < ins {
				in.Args[i] = kernel.Ref(slices.Index(from, a))
			} else {
				in.Args[i] = a - kernel.Ref(ins) + kernel.Ref(len(from))
			}
		}
	}
	k.Out[0] = kernel.Ref(len(from) + n - 1)
	if k.Verify() != nil {
		return nil
	}
	canon, order := k.Canonical()
	engine, ok := c.e.t.lib.Engine(canon.Signature())
	if !ok || engine == portable {
		return nil
	}
	p := &prefix{last: kernel.Ref(ins + n - 1), engine: engine, ops: ops}
	p.inst = tileInst{k: canon, value: p.last, out: -1}
	for _, i := range order {
		p.inst.args = append(p.inst.args, from[i])
	}
	return p
}

// inPrefix reports whether the kernel of the first instructions computes a value.
func (c *tiling) inPrefix(r kernel.Ref) bool { return c.prefix != nil && r <= c.prefix.last }
