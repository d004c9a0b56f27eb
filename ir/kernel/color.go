package kernel

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// colours hashes every value of a kernel by what it is made from and by how it
// is used.
type colours struct {
	colour, uses []uint64
	scratch      []uint64 // of count
	stable       bool     // refine separates no more
}

// colours returns the colours that tell most values apart.
func (k *Kernel) colours() colours {
	n := len(k.In)
	all := n + len(k.Body)
	memory := make([]uint64, 3*all)
	c := colours{colour: memory[:all], uses: memory[all : 2*all], scratch: memory[2*all:]}
	for i, in := range k.In {
		c.colour[i] = ir.Mix(uint64(in.DType), ir.FromBool(in.Splat)+1)
	}
	for range 2 {
		for j := range k.Body {
			c.colour[n+j] = ir.Mix(c.made(&k.Body[j]), c.uses[n+j])
		}
		c.use(k)
		for i := range k.In {
			c.colour[i] = ir.Mix(c.colour[i], c.uses[i])
		}
	}
	for j := range k.Body {
		c.colour[n+j] = ir.Mix(c.made(&k.Body[j]), c.uses[n+j])
	}
	return c
}

// refine separates values by the colours of those around them until that
// separates no more.
func (c *colours) refine(k *Kernel) {
	if c.stable {
		return
	}
	for before, now := 0, c.count(); before < now; before, now = now, c.count() {
		c.use(k)
		for r := range c.colour {
			h := uint64(0)
			if in := k.Inst(Ref(r)); in != nil {
				h = c.made(in)
			}
			c.colour[r] = ir.Mix(ir.Mix(c.colour[r], h), c.uses[r])
		}
	}
	c.stable = true
}

// count returns how many colours there are.
func (c *colours) count() int {
	copy(c.scratch, c.colour)
	slices.Sort(c.scratch)
	n := 0
	for i, x := range c.scratch {
		if i == 0 || x != c.scratch[i-1] {
			n++
		}
	}
	return n
}

// single gives a value a colour of its own.
func (c *colours) single(r Ref) {
	c.colour[r] = ir.Mix(c.colour[r], 0x51)
	c.stable = false
}

// made hashes an instruction by the colours of its arguments.
func (c *colours) made(i *Inst) uint64 {
	h := ir.Mix(i.Op.Info().Hash+uint64(i.DType), i.Bits)
	if i.Op.Info().Commutative {
		return ir.Mix(h, c.colour[i.Args[0]]+c.colour[i.Args[1]])
	}
	for _, a := range i.Args[:i.Arity()] {
		h = ir.Mix(h, c.colour[a])
	}
	return h
}

// use hashes the places where each value is read: a sum, so that their order
// does not matter.
func (c *colours) use(k *Kernel) {
	clear(c.uses)
	for i, r := range k.Out {
		c.uses[r] += ir.Mix(uint64(i)+k.FoldOf(i).Info().Hash, 0x53)
	}
	for j := len(k.Body) - 1; j >= 0; j-- {
		in, self := &k.Body[j], len(k.In)+j
		commutes := in.Op.Info().Commutative
		for i, a := range in.Args[:in.Arity()] {
			if commutes {
				i = 0
			}
			c.uses[a] += ir.Mix(c.colour[self]+uint64(i), c.uses[self])
		}
	}
}
