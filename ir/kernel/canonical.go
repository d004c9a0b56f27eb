package kernel

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Canonical returns the canonical form of the kernel, which all kernels of the same meaning share, and the order of its operands:
// operand i of the result is operand order[i] of k. In canonical form, dead and repeated instructions are gone, instructions are
// in depth-first order of the outputs, arguments of commutative ops are ordered, and operands are numbered by first use, all
// members of an interleave group with the first of them.
//
// Commutative arguments are ordered by hashes. The hash of a value depends on what computes it and on what reads it, so neither
// names nor the order of construction matter. Of two operands or two instructions that already have numbers, the lower goes
// first; of two values with one hash, the one that has a number. If neither has one, hashes are refined until they separate
// no more values; then either may go first, and gets a hash of its own. (This is the individualization and refinement of
// McKay's nauty without its backtracking. It is exact where a symmetry of the body exchanges the values of one hash. There
// are bodies of dozens of instructions without such a symmetry, which may get a second canonical form and signature.)
//
// The kernel must not be changed: later calls may return the same one.
func (k *Kernel) Canonical() (canon *Kernel, order []int) {
	if k.sig.kept(k) {
		order = make([]int, len(k.In))
		for i := range order {
			order[i] = i
		}
		return k, order
	}
	return k.combined(nil)
}

// combined is canonical with a cache: it computes a form only once. Without combiners the result has a signature.
func (k *Kernel) combined(combine []ir.Op) (canon *Kernel, order []int) {
	var space [512]byte
	content := k.content(space[:0], combine)
	f, ok := known(content)
	if !ok {
		f.canon, f.order = k.canonical(combine)
		if combine == nil {
			f.canon.sig.keep(f.canon, f.canon.String())
		}
		keep(content, f)
	}
	return f.canon, slices.Clone(f.order)
}

// canonical is Canonical of a body whose outputs have combiners, or are all stored if combine is nil. The result has no
// signature, as that of its Micro contains more.
func (k *Kernel) canonical(combine []ir.Op) (canon *Kernel, order []int) {
	k = k.merged()
	c := &canonizer{k: k, valueHashes: k.hashes(combine), at: make([]Ref, len(k.In)+len(k.Body))}
	for i := range c.at {
		c.at[i] = -1
	}
	for _, r := range k.Out {
		c.visit(r)
	}
	return c.number(), c.order
}

// merged returns k without instructions that no output needs, and without repetitions of earlier instructions, also with
// commuting arguments exchanged.
func (k *Kernel) merged() *Kernel {
	out := *k
	out.Body, out.Out = make([]Inst, 0, len(k.Body)), make([]Ref, len(k.Out))
	fast := false
	need := k.needed()
	at := make([]Ref, len(need))
	for i := range k.In {
		at[i] = Ref(i)
	}
	seen := make(map[Inst]Ref, len(k.Body))
	for j, in := range k.Body {
		if !need[len(k.In)+j] {
			continue
		}
		inst := Inst{Op: in.Op, DType: in.DType, Bits: in.Bits}
		for i, a := range in.Args[:in.Arity()] {
			inst.Args[i] = at[a]
		}
		if a := &inst.Args; in.Op.Info().Commutative && a[0] > a[1] {
			a[0], a[1] = a[1], a[0]
		}
		r, ok := seen[inst]
		if !ok {
			fast = fast || in.Arity() > 0 && in.Op.Info().Fast.Has(k.DType(in.Args[0]))
			r = Ref(len(k.In) + len(out.Body))
			out.Body = append(out.Body, inst)
			seen[inst] = r
		}
		at[len(k.In)+j] = r
	}
	for i, r := range k.Out {
		out.Out[i] = at[r]
	}
	out.Fast = k.Fast && fast // otherwise both tiers are the same
	if !slices.ContainsFunc(k.OutMember, func(c Member) bool { return c.Of > 0 }) {
		out.OutMember = nil
	}
	return &out
}

type canonizer struct {
	k *Kernel
	valueHashes
	body  []Inst // in final order; arguments are still Refs of k
	from  []Ref  // the value of k that each instruction of body computes
	at    []Ref  // index in body or order of each value of k, or -1
	order []int
}

// visit appends the instructions that r needs, then the one of r.
func (c *canonizer) visit(r Ref) {
	in := c.k.Inst(r)
	if in == nil || c.at[r] >= 0 {
		return
	}
	inst := *in
	if a := &inst.Args; inst.Op.Info().Commutative && c.less(a[1], a[0]) {
		a[0], a[1] = a[1], a[0]
	}
	for _, a := range inst.Args[:inst.Arity()] {
		c.visit(a)
	}
	for _, a := range inst.Args[:inst.Arity()] {
		c.use(a)
	}
	c.at[r] = Ref(len(c.body)) // offset by the operand count in number
	c.body = append(c.body, inst)
	c.from = append(c.from, r)
}

// less reports whether a precedes b among the arguments of an op that commutes.
func (c *canonizer) less(a, b Ref) bool {
	if a == b {
		return false
	}
	x, y := c.at[a], c.at[b]
	if x >= 0 && y >= 0 && (c.k.Inst(a) == nil) == (c.k.Inst(b) == nil) {
		return x < y
	}
	if c.hash[a] != c.hash[b] {
		return c.hash[a] < c.hash[b]
	}
	if x >= 0 || y >= 0 {
		return y < 0
	}
	c.refine(c.k)
	if c.hash[a] != c.hash[b] {
		return c.hash[a] < c.hash[b]
	}
	c.individualize(b)
	return false
}

// use gives an operand its number, and the other members of its interleave group theirs.
func (c *canonizer) use(r Ref) {
	if c.k.Inst(r) != nil || c.at[r] >= 0 {
		return
	}
	m := c.k.In[r].Member
	first := r - Ref(m.At)
	for i := range Ref(max(1, m.Of)) {
		c.at[first+i] = Ref(len(c.order))
		c.order = append(c.order, int(first+i))
	}
}

// number returns the canonical kernel, whose Refs are rewritten to the final numbers.
func (c *canonizer) number() *Kernel {
	for _, r := range c.k.Out {
		c.use(r)
	}
	for _, r := range c.from {
		c.at[r] += Ref(len(c.order))
	}
	out := &Kernel{Body: c.body, In: make([]Operand, len(c.order)), OutMember: c.k.OutMember, Fast: c.k.Fast}
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
