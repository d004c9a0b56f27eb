package ir

import "math/bits"

// Canonical returns the kernel in the one form that all kernels of the same
// meaning share: dead instructions gone, instructions in depth-first order of
// the outputs, arguments of commutative ops ordered, operands numbered by first
// use. Operand i of the result is operand order[i] of k.
//
// Commutative arguments are ordered by colours: each value is hashed by what it
// is made from and by how it is used, twice over, so that neither names nor the
// order of construction matter. Arguments of equal colour are interchangeable
// in all graphs but contrived ones, and those only lose the sharing.
func (k *Kernel) Canonical() (canon *Kernel, order []int) {
	if k.sig != "" {
		order = make([]int, len(k.In))
		for i := range order {
			order[i] = i
		}
		return k, order
	}
	c := &canonizer{k: k, colour: k.colours(), at: make([]Ref, len(k.In)+len(k.Body))}
	for i := range c.at {
		c.at[i] = -1
	}
	for _, r := range k.Out {
		c.visit(r)
	}
	canon = c.number()
	canon.sig = canon.String()
	return canon, c.order
}

type canonizer struct {
	k      *Kernel
	colour []uint64
	body   []Inst // in final order, arguments still Refs of k
	from   []Ref  // the value of k that each of body computes
	at     []Ref  // final Ref of each value of k, or -1
	order  []int
}

// visit appends the instructions that r needs, then r's own.
func (c *canonizer) visit(r Ref) {
	in := c.k.Inst(r)
	if in == nil || c.at[r] >= 0 {
		return
	}
	inst := *in
	if inst.Op.Info().Commutative && c.colour[inst.Args[0]] > c.colour[inst.Args[1]] {
		inst.Args[0], inst.Args[1] = inst.Args[1], inst.Args[0]
	}
	for _, a := range inst.Args[:inst.Arity()] {
		c.visit(a)
	}
	c.at[r] = Ref(len(c.body)) // offset by the operand count in number
	c.body = append(c.body, inst)
	c.from = append(c.from, r)
}

// number gives operands their numbers by first use and rewrites all Refs.
func (c *canonizer) number() *Kernel {
	use := func(r Ref) {
		if c.k.Inst(r) == nil && c.at[r] < 0 {
			c.at[r] = Ref(len(c.order))
			c.order = append(c.order, int(r))
		}
	}
	for _, in := range c.body {
		for _, a := range in.Args[:in.Arity()] {
			use(a)
		}
	}
	for _, r := range c.k.Out {
		use(r)
	}
	for _, r := range c.from {
		c.at[r] += Ref(len(c.order))
	}
	out := &Kernel{Body: c.body, In: make([]Operand, len(c.order))}
	for i, old := range c.order {
		out.In[i] = c.k.In[old]
	}
	for j := range out.Body {
		in := &out.Body[j]
		for i := range in.Arity() {
			in.Args[i] = c.at[in.Args[i]]
		}
	}
	for _, r := range c.k.Out {
		out.Out = append(out.Out, c.at[r])
	}
	return out
}

// colours hashes every value by its operands and its uses.
func (k *Kernel) colours() []uint64 {
	colour := make([]uint64, len(k.In)+len(k.Body))
	uses := make([]uint64, len(colour))
	need := k.needed()
	for i, in := range k.In {
		colour[i] = mix(uint64(in.DType), fromBool(in.Splat)+1)
	}
	for range 2 {
		for j, in := range k.Body {
			colour[len(k.In)+j] = mix(in.colour(colour), uses[len(k.In)+j])
		}
		k.useColours(colour, uses, need)
		for i := range k.In {
			colour[i] = mix(colour[i], uses[i])
		}
	}
	for j, in := range k.Body {
		colour[len(k.In)+j] = mix(in.colour(colour), uses[len(k.In)+j])
	}
	return colour
}

func (i Inst) colour(colour []uint64) uint64 {
	h := mix(uint64(i.Op)<<8|uint64(i.DType), i.Bits)
	if i.Op.Info().Commutative {
		return mix(h, colour[i.Args[0]]+colour[i.Args[1]])
	}
	for _, a := range i.Args[:i.Arity()] {
		h = mix(h, colour[a])
	}
	return h
}

// useColours hashes the places where needed instructions read each value: a
// sum, so that their order does not matter.
func (k *Kernel) useColours(colour, uses []uint64, need []bool) {
	clear(uses)
	for i, r := range k.Out {
		uses[r] += mix(uint64(i), 0x53)
	}
	for j := len(k.Body) - 1; j >= 0; j-- {
		in := k.Body[j]
		self := len(k.In) + j
		if !need[self] {
			continue
		}
		for i, a := range in.Args[:in.Arity()] {
			if in.Op.Info().Commutative {
				i = 0
			}
			uses[a] += mix(colour[self]+uint64(i), uses[self])
		}
	}
}

func mix(h, x uint64) uint64 {
	return bits.RotateLeft64((h^x)*0x9e3779b97f4a7c15, 29) ^ x*0xbf58476d1ce4e5b9
}
