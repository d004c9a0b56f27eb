package kernel

import (
	"sort"

	"github.com/stridefuse/stridefuse/ir"
)

// valueHashes has a hash of every value of a kernel, which depends on what computes the value and on what reads it.
type valueHashes struct {
	combine    []ir.Op // the combiner of each output; nil if all are stored
	hash, uses []uint64
	scratch    hashes // of distinct
	stable     bool   // refine separates no more values
}

// hashes returns hashes that differ for most values.
func (k *Kernel) hashes(combine []ir.Op) valueHashes {
	n := len(k.In)
	all := n + len(k.Body)
	memory := make([]uint64, 3*all)
	c := valueHashes{combine: combine, hash: memory[:all], uses: memory[all : 2*all], scratch: memory[2*all:]}
	for i, in := range k.In {
		c.hash[i] = ir.Mix(uint64(in.DType), ir.FromBool(in.Splat)+1)
		if in.Member.Of > 0 {
			c.hash[i] = ir.Mix(c.hash[i], uint64(in.Member.At)<<8|uint64(in.Member.Of))
		}
	}
	for range 2 {
		for j := range k.Body {
			c.hash[n+j] = ir.Mix(c.ofInst(&k.Body[j]), c.uses[n+j])
		}
		c.hashUses(k)
		for i := range k.In {
			c.hash[i] = ir.Mix(c.hash[i], c.uses[i])
		}
	}
	for j := range k.Body {
		c.hash[n+j] = ir.Mix(c.ofInst(&k.Body[j]), c.uses[n+j])
	}
	return c
}

// refine separates values by the hashes of their arguments and readers, until it separates no more.
func (c *valueHashes) refine(k *Kernel) {
	if c.stable {
		return
	}
	for before, now := 0, c.distinct(); before < now; before, now = now, c.distinct() {
		c.hashUses(k)
		for r := range c.hash {
			h := uint64(0)
			if in := k.Inst(Ref(r)); in != nil {
				h = c.ofInst(in)
			}
			c.hash[r] = ir.Mix(ir.Mix(c.hash[r], h), c.uses[r])
		}
	}
	c.stable = true
}

// hashes sorts itself by package sort: of uint64 package slices would be compiled again.
type hashes []uint64

func (h *hashes) Len() int           { return len(*h) }
func (h *hashes) Less(i, j int) bool { return (*h)[i] < (*h)[j] }
func (h *hashes) Swap(i, j int)      { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }

// distinct returns the number of different hashes.
func (c *valueHashes) distinct() int {
	copy(c.scratch, c.hash)
	sort.Sort(&c.scratch)
	n := 0
	for i, x := range c.scratch {
		if i == 0 || x != c.scratch[i-1] {
			n++
		}
	}
	return n
}

// individualize gives a value a hash of its own.
func (c *valueHashes) individualize(r Ref) {
	c.hash[r] = ir.Mix(c.hash[r], 0x51)
	c.stable = false
}

// ofInst hashes an instruction by the hashes of its arguments.
func (c *valueHashes) ofInst(i *Inst) uint64 {
	h := ir.Mix(i.Op.Info().Hash+uint64(i.DType), i.Bits)
	if i.Op.Info().Commutative {
		return ir.Mix(h, c.hash[i.Args[0]]+c.hash[i.Args[1]])
	}
	for _, a := range i.Args[:i.Arity()] {
		h = ir.Mix(h, c.hash[a])
	}
	return h
}

// hashUses hashes the uses of each value. It adds them up, so that their order does not matter.
func (c *valueHashes) hashUses(k *Kernel) {
	clear(c.uses)
	for i, r := range k.Out {
		by := ir.OpInvalid
		if c.combine != nil {
			by = c.combine[i]
		}
		c.uses[r] += ir.Mix(uint64(i)+by.Info().Hash, 0x53)
	}
	for j := len(k.Body) - 1; j >= 0; j-- {
		in, self := &k.Body[j], len(k.In)+j
		commutes := in.Op.Info().Commutative
		for i, a := range in.Args[:in.Arity()] {
			if commutes {
				i = 0
			}
			c.uses[a] += ir.Mix(c.hash[self]+uint64(i), c.uses[self])
		}
	}
	for i := 0; i < len(k.In); i += int(max(1, k.In[i].Member.Of)) {
		group := c.uses[i:][:max(1, k.In[i].Member.Of)]
		all := uint64(0)
		for at, uses := range group[:int(k.In[i].Member.Of)] { // uses of one member are uses of its group
			all = ir.Mix(all+uint64(at), uses)
		}
		for at := range group {
			group[at] += all
		}
	}
}
