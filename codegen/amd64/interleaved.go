package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Interleave groups of a body (kernel.Member). A step loads the vectors of a group and deinterleaves them in registers; it
// interleaves members and stores the vectors. A block is as many pieces of 16 bytes as the factor, and has whole elements of
// each member. The two halves of registers have two blocks:
//
//	group    blocks' pieces  a0 a1 a2 b0 b1 b2       of three members
//	pieces   registers       [a0 b0] [a1 b1] [a2 b2]
//	members  registers       [x  x ] [y  y ] [z  z ] by VSHUFPS in the halves
//
// Where pieces have whole columns, and so have all operands with columns, no half is moved: lanes then have the
// columns in another order, the same one for all. In the tail, vectors of a group are loaded and stored under masks.
// Bytes: see interleaved_bytes.go.

// pieceBytes is the size of a piece.
const pieceBytes = 16

// group is an interleave group of a body: its members are the operands from one on.
type group struct {
	*lowerer
	operand int
	dtype   ir.DType
	of      int
}

// place returns bytes of the group in this step, from an offset on.
func (a *group) place(offset, bytes int) vector.Place {
	size := a.of * a.dtype.Size()
	if !a.Tail {
		offset += size * a.Copy.Graph.Machine().Lanes() * a.Number
	}
	return vector.PlaceOf(a.operand, size, offset, bytes).InTail(a.Tail)
}

// vector returns the place of vector v of the group in this step.
func (a *group) vector(v int) vector.Place { return a.place(vectorBytes(v), vectorBytes(1)) }

// mask returns the mask of vector v in the tail.
func (a *group) mask(v int) ref {
	return a.Add(vector.Node{Kind: vector.KindOp, Op: a.isa().opcode("GROUPMASK"), Imm: uint8(a.of<<4 | v), Slot: a.dtype.Size(), Arg: vector.Args()})
}

// loadMember returns an input that is a member of a group.
func (t *Target) loadMember(l *lowerer, i int) value {
	in := l.Kernel.In[i]
	a := &group{l, i - int(in.Member.At), in.DType, int(in.Member.Of)}
	if in.DType.Size() == 1 {
		return one(a.byteMember(int(in.Member.At)))
	}
	member := func(p int) ref { return a.run(deinterleaving(), a.pieces(p))[in.Member.At] }
	if l.parts(in.DType) == 2 {
		return two(member(0), member(1))
	}
	return one(member(0))
}

// storeGroup returns the stores of the group whose last member is an output.
func (t *Target) storeGroup(l *lowerer, output int) (stores []ref) {
	k := l.Kernel
	c, d := k.OutMember[output], k.OutType(output)
	if c.At+1 < c.Of {
		return nil
	}
	first := output - int(c.At)
	a := &group{l, len(k.In) + first, d, int(c.Of)}
	members := func(p int) (x []ref) {
		for _, r := range k.Out[first : output+1] {
			x = append(x, l.Values[r].Part[p])
		}
		return x
	}
	if d.Size() == 1 {
		return a.storeBytes(members(0))
	}
	for p := range l.parts(d) {
		pieces := a.run(interleaving(), members(p))
		for j := range a.of {
			v := p*a.of + j
			x := pieces[j]
			if a.inOrder() {
				x = a.halves(pieces, 2*j, 2*j+1)
			}
			if l.Tail {
				stores = append(stores, l.placed(widthOf("MASKSTORE", d), a.vector(v), a.mask(v), x))
			} else {
				stores = append(stores, l.placed("STORE", a.vector(v), x))
			}
		}
	}
	return stores
}

// inOrder reports whether lanes have to have the columns of a step in order: not if all operands with columns are
// groups of the same kind, whose pieces have whole columns.
func (a *group) inOrder() bool {
	k := a.Kernel
	other := func(c kernel.Member, d ir.DType) bool { return int(c.Of) != a.of || d.Size() != a.dtype.Size() }
	for _, in := range k.In {
		if !in.Splat && other(in.Member, in.DType) {
			return true
		}
	}
	for i := range k.Out {
		if other(k.OutMemberOf(i), k.OutType(i)) {
			return true
		}
	}
	return pieceBytes%(a.of*a.dtype.Size()) != 0
}

// pieces returns the pieces of the blocks of part p of a step.
func (a *group) pieces(p int) (x []ref) {
	inOrder := a.inOrder()
	if !a.Tail && !inOrder {
		for v := range a.of {
			x = append(x, a.inPlace(a.vector(p*a.of+v)))
		}
		return x
	}
	if !a.Tail {
		for v := range a.of {
			low, high := a.place(vectorBytes(p*a.of)+v*pieceBytes, pieceBytes), a.place(vectorBytes(p*a.of)+(a.of+v)*pieceBytes, pieceBytes)
			x = append(x, a.joined(a.inPlace(low), a.inPlace(high)))
		}
		return x
	}
	var vectors []ref
	for v := range a.of {
		vectors = append(vectors, a.placed(widthOf("MASKLOAD", a.dtype), a.vector(p*a.of+v), a.mask(p*a.of+v)))
	}
	if !inOrder {
		return vectors
	}
	for v := range a.of {
		x = append(x, a.either(vectors[v/2], v%2, vectors[(a.of+v)/2], (a.of+v)%2))
	}
	return x
}

// halves returns a vector of two pieces of the group, by their numbers.
func (a *group) halves(pieces []ref, low, high int) ref {
	return a.either(pieces[low%a.of], low/a.of, pieces[high%a.of], high/a.of)
}

// either returns a half of x, 0 the lower one, followed by a half of y.
func (g *graph) either(x ref, halfX int, y ref, halfY int) ref {
	if halfX == 0 && halfY == 0 {
		return g.joined(x, y)
	}
	return g.imm("VPERM2F128", uint8(halfX|(2+halfY)<<4), x, y)
}

// shuffle is an instruction on two of the values so far.
type shuffle struct {
	x, y int
	op   string
	imm  uint8
}

// words returns the VSHUFPS that takes two words of x and then two of y, in each half.
func takeWords(x, y, a, b, c, d int) shuffle {
	return shuffle{x, y, "VSHUFPS", uint8(a | b<<2 | c<<4 | d<<6)}
}

// lower and upper return the lower words of x and y in each half, and the upper ones.
func lower(x, y int) shuffle { return takeWords(x, y, 0, 1, 0, 1) }
func upper(x, y int) shuffle { return takeWords(x, y, 2, 3, 2, 3) }

// deinterleaving returns the shuffles that make members of pieces, interleaving those that make pieces of members. Values
// are numbered from the operands on; the last ones are the results.
func deinterleaving() map[interleave][]shuffle {
	return map[interleave][]shuffle{
		{4, 2}: {takeWords(0, 1, 0, 2, 0, 2), takeWords(0, 1, 1, 3, 1, 3)},
		{4, 3}: {takeWords(1, 2, 2, 3, 1, 2), takeWords(0, 1, 1, 2, 0, 1), takeWords(0, 3, 0, 3, 0, 2), takeWords(4, 3, 0, 2, 1, 3), takeWords(4, 2, 1, 3, 0, 3)},
		{4, 4}: fourByFour(),
		{8, 2}: {lower(0, 1), upper(0, 1)},
		{8, 3}: {takeWords(0, 1, 0, 1, 2, 3), takeWords(0, 2, 2, 3, 0, 1), takeWords(1, 2, 0, 1, 2, 3)},
		{8, 4}: {lower(0, 2), upper(0, 2), lower(1, 3), upper(1, 3)},
	}
}

func interleaving() map[interleave][]shuffle {
	return map[interleave][]shuffle{
		{4, 2}: {{0, 1, "VUNPCKLPS", 0}, {0, 1, "VUNPCKHPS", 0}},
		{4, 3}: {takeWords(0, 1, 0, 2, 0, 2), takeWords(1, 2, 1, 3, 1, 3), takeWords(2, 0, 0, 2, 1, 3), takeWords(3, 5, 0, 2, 0, 2), takeWords(4, 3, 0, 2, 1, 3), takeWords(5, 4, 1, 3, 1, 3)},
		{4, 4}: fourByFour(),
		{8, 2}: {lower(0, 1), upper(0, 1)},
		{8, 3}: {lower(0, 1), takeWords(2, 0, 0, 1, 2, 3), upper(1, 2)},
		{8, 4}: {lower(0, 1), lower(2, 3), upper(0, 1), upper(2, 3)},
	}
}

func fourByFour() []shuffle {
	return []shuffle{lower(0, 1), upper(0, 1), lower(2, 3), upper(2, 3),
		takeWords(4, 6, 0, 2, 0, 2), takeWords(4, 6, 1, 3, 1, 3), takeWords(5, 7, 0, 2, 0, 2), takeWords(5, 7, 1, 3, 1, 3)}
}

// run returns the results of the shuffles that a table has for the group.
func (a *group) run(table map[interleave][]shuffle, x []ref) []ref {
	for _, s := range table[interleave{a.dtype.Size(), a.of}] {
		x = append(x, a.imm(s.op, s.imm, x[s.x], x[s.y]))
	}
	return x[len(x)-a.of:]
}

// groupMask loads the mask of a vector of a group in the tail.
func (n *nest) groupMask(i *vector.Inst) {
	of, v, lanes := int(i.Imm>>4), int(i.Imm&15), n.m.Width/i.Slot
	n.remaining()
	n.timesFactor(of)
	n.do("SUBQ", imm(int64(v*lanes)), gp(cx))
	for _, bound := range []struct {
		move  string
		lanes int
	}{{"CMOVQLT", 0}, {"CMOVQGT", lanes}} {
		n.do("MOVQ", imm32(int64(bound.lanes)), gp(dx))
		n.do("CMPQ", gp(cx), gp(dx))
		n.do(bound.move, gp(dx), gp(cx))
	}
	n.do("NEGQ", gp(cx))
	n.do("LEAQ", mem(maskMiddle(n.m)), gp(dx))
	n.do("VMOVUPS", mem(at(dx, 0).indexed(cx, i.Slot)), y(i.Dst))
}

// timesFactor makes cx, a number of columns, that of their elements.
func (n *nest) timesFactor(of int) {
	switch of {
	case 2:
		n.do("ADDQ", gp(cx), gp(cx))
	case 3:
		n.do("LEAQ", mem(at(cx, 0).indexed(cx, 2)), gp(cx))
	case 4:
		n.do("SHLQ", imm(2), gp(cx))
	}
}

// indexing returns the register and the scale that address a column of size bytes: the index, or
// a multiple of it where no scale is that.
func (n *nest) indexing(size int) (register, scale int) {
	times := indexTimes(size)
	if times == 1 {
		return index, size
	}
	return n.multiples[times], size / times
}

// indexTimes returns the multiple of the index that addresses a column of size bytes.
func indexTimes(size int) int {
	if size%3 == 0 {
		return 3
	}
	return max(1, size/8)
}

// allocateMultiples takes registers for the multiples of the index.
func (n *nest) allocateMultiples(free int) int {
	n.multiples = map[int]int{}
	k := n.b.Graph.Kernel
	for i := range n.pointer {
		of := n.member(i).Of
		times := indexTimes(int(of) * n.dtype(i).Size())
		if n.multiples[times] == 0 && of > 0 && times > 1 {
			n.multiples[times] = free
			free++
		}
	}
	n.args = k.ArgsOf()
	return free
}

// beginIndex sets the index to 0, and addIndex adds to it.
func (n *nest) beginIndex() {
	n.do("XORQ", gp(index), gp(index))
	n.eachMultiple(func(_, register int) { n.do("XORQ", gp(register), gp(register)) })
}

func (n *nest) addIndex(columns int64) {
	n.do("ADDQ", imm(columns), gp(index))
	n.eachMultiple(func(times, register int) { n.do("ADDQ", imm(int64(times)*columns), gp(register)) })
}

func (n *nest) eachMultiple(f func(times, register int)) {
	for times := range 5 {
		if register, ok := n.multiples[times]; ok {
			f(times, register)
		}
	}
}
