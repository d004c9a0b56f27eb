package runtime

import (
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

const (
	// maxPiece is how many instructions a kernel of a cover has at most: as many
	// as the longest of codegen's super-kernels.
	maxPiece = 2
	// maxPieceArgs is how many operands it then has, at three an instruction.
	maxPieceArgs = 2*maxPiece + 1
	// perKernel makes fewer kernels better than any other choice.
	perKernel = 1 << 20
)

// choice is the kernel that computes an instruction: one for a piece of the
// body, which is the instruction and others that only it needs. Their values
// are never in memory.
type choice struct {
	insts [maxPiece]kernel.Ref     // the instruction first, each before those it reads
	args  [maxPieceArgs]kernel.Ref // what the piece reads
	n     int                      // instructions
	part  *part
	fn    func(*abi.Frame)
	on    abi.Engine
	cost  int // with that of all that the value needs alone
}

// addPieces covers the instructions with kernels, the fewest. A value that
// several instructions read is computed once, by the last instruction of a
// piece; so the body is a forest of trees, and the best pieces of a tree follow
// from those of its branches.
func (c *cover) addPieces(stored []int) error {
	c.pieces = make([]choice, len(c.k.Body))
	ins := len(c.k.In)
	for j := range c.pieces {
		if v := &c.values[ins+j]; c.k.Body[j].Op != ir.OpConst {
			c.grow(&c.pieces[j], [maxPiece]kernel.Ref{kernel.Ref(ins + j)}, 1, 0, v.splat)
		}
	}
	covered := make([]bool, len(c.pieces)) // with the instruction that reads it
	for j := len(c.pieces) - 1; j >= 0; j-- {
		if p := &c.pieces[j]; !covered[j] && p.n > 1 {
			for _, r := range p.insts[1:p.n] {
				covered[int(r)-ins] = true
			}
		}
	}
	for j := range c.pieces {
		if covered[j] || c.k.Body[j].Op == ir.OpConst {
			continue
		}
		if err := c.addPiece(kernel.Ref(ins+j), &c.pieces[j], stored); err != nil {
			return err
		}
	}
	return nil
}

// addPiece appends the kernel of a value.
func (c *cover) addPiece(r kernel.Ref, p *choice, stored []int) error {
	if p.fn == nil { // say what is missing
		key, _ := c.describe([]kernel.Ref{r}, c.values[r].splat)
		_, _, err := c.f.find(partOf(key).sig)
		return err
	}
	c.on[p.on]++
	i := coverInst{fn: p.fn, order: p.part.order, args: p.args[:len(p.part.order)], value: r, out: -1}
	if c.values[r].splat {
		c.rows = append(c.rows, i)
		return nil
	}
	i.out = max(stored[r], 0) - 1
	c.insts = append(c.insts, i)
	return nil
}

// grow sets best to the best of the pieces that have the first n of insts and
// maybe more: values that arguments from position from on would read. Positions
// count the arguments of insts, three to each, so that every piece has one way
// to grow. With unit, splats are operands with one column.
func (c *cover) grow(best *choice, insts [maxPiece]kernel.Ref, n, from int, unit bool) {
	key, args := c.describe(insts[:n], unit)
	part := partOf(key)
	p := choice{insts: insts, args: args, n: n, part: part}
	if c.findPiece(&p); p.fn != nil {
		p.cost = c.kernelCost(insts[:n], args[:key.ins])
		for i, a := range args[:key.ins] {
			if c.values[a].inner && !slices.Contains(args[:i], a) {
				p.cost += c.pieces[int(a)-len(c.k.In)].cost
			}
		}
		if best.fn == nil || p.cost < best.cost {
			*best = p
		}
	}
	if n == maxPiece || unit {
		return
	}
	for at := from; at < 3*n; at++ {
		in := c.k.Inst(insts[at/3])
		if at%3 >= in.Arity() {
			continue
		}
		a := in.Args[at%3]
		if c.values[a].inner && !slices.Contains(insts[:n], a) && !slices.Contains(in.Args[:at%3], a) {
			insts[n] = a
			c.grow(best, insts, n+1, at+1, unit)
		}
	}
}

// kernelCost estimates the time that a kernel takes for an element: that of its
// memory traffic or of its slow operations, whichever is longer, for they
// overlap. Fast operations hide behind both. The unit is the addition of bytes.
func (c *cover) kernelCost(insts, args []kernel.Ref) int {
	const loads, stores = 1, 2
	memory, slow := stores*c.values[insts[0]].dtype.Size(), 0.0
	for _, a := range args {
		if v := &c.values[a]; !v.splat {
			memory += loads * v.dtype.Size()
		}
	}
	for _, r := range insts {
		if in := c.k.Inst(r); in.Op.Info().Cost > 1 {
			slow += in.Op.Info().Cost * float64(in.DType.Size())
		}
	}
	return perKernel + max(memory, int(slow))
}

// findPiece looks for the kernel of a piece. One of several instructions has to
// be on the best engine: another's may be slower than kernels of one on it.
func (c *cover) findPiece(p *choice) {
	f := c.f
	if p.n > 1 {
		f.engines = f.engines[:1]
	}
	for _, on := range f.engines {
		if fn, ok := f.lookup(on, p.part.sig); ok {
			p.fn, p.on = fn, on
			return
		}
	}
}

// pieceKey says what a piece computes, up to its kernel's canonical form.
type pieceKey struct {
	n, ins int8
	fast   bool
	fold   ir.Op // of a piece without instructions, which folds its operand
	insts  [maxPiece]pieceInst
	in     [maxPieceArgs]kernel.Operand
}

// pieceInst is an instruction of a piece. Argument i >= 0 is operand i of the
// piece, ^m instruction m.
type pieceInst struct {
	op    ir.Op
	dtype ir.DType
	args  [3]int8
}

// describe returns the key of the piece of the given instructions, and what its
// operands are.
func (c *cover) describe(insts []kernel.Ref, unit bool) (key pieceKey, args [maxPieceArgs]kernel.Ref) {
	key.n, key.fast = int8(len(insts)), c.k.Fast
	for m, r := range insts {
		in := c.k.Inst(r)
		row := &key.insts[m]
		row.op, row.dtype = in.Op, in.DType
		if (in.Op == ir.OpCast || in.Op == ir.OpBitcast) && in.DType == c.values[in.Args[0]].dtype {
			row.op = ir.OpCopy // there are no kernels for conversions to the same type
		}
		for i, a := range in.Args[:in.Arity()] {
			if inner := slices.Index(insts, a); inner >= 0 {
				row.args[i] = ^int8(inner)
				continue
			}
			v := &c.values[a]
			key.in[key.ins] = kernel.Operand{DType: v.dtype, Splat: v.splat && !unit}
			args[key.ins] = a
			row.args[i] = key.ins
			key.ins++
		}
	}
	return key, args
}

// part is the kernel of a piece: its signature, and which operand of the piece
// each of its operands is.
type part struct {
	sig   string
	order []int
}

// parts remembers the answers of partOf, which are the same for ever.
var parts struct {
	sync.RWMutex
	known map[pieceKey]*part
}

func partOf(key pieceKey) *part {
	parts.RLock()
	p := parts.known[key]
	parts.RUnlock()
	if p != nil {
		return p
	}
	canon, order := key.kernel().Canonical()
	p = &part{kernel.CodeOf(canon).Signature(), order}
	parts.Lock()
	defer parts.Unlock()
	if parts.known == nil {
		parts.known = map[pieceKey]*part{}
	}
	parts.known[key] = p
	return p
}

// kernel writes the piece as a body.
func (key *pieceKey) kernel() *kernel.Kernel {
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
	if key.fold != ir.OpInvalid {
		k.Fold = []ir.Op{key.fold}
	}
	return k
}
