package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Sums of products of bytes along rows, in int32: products of vectors, and squares of distances. A factor is an operand, or sums and
// differences of operands, and has at most 16 bits. VPMADDWD multiplies 16 pairs of such factors and adds adjacent products. The sums
// have the same bits in any order, as integers wrap.

// byteProducts writes the function of one or several such sums.
type byteProducts struct {
	Program
	body *kernel.Kernel
}

// General registers of products of bytes, besides index, cols, ax, dx, and cx with the address of the abi.Frame.
const (
	productRows  = firstFree     // how many rows are left
	productFirst = firstFree + 1 // pointers to the rows of the arguments
)

// productLanes is the number of elements of a vector of factors.
const productLanes = 16

// sumsByteProducts reports whether a kernel is such sums.
func sumsByteProducts(body *kernel.Kernel, combine []ir.Op) bool {
	if len(combine) == 0 || len(body.In)+len(body.Out) > GeneralRegisters-productFirst || slices.ContainsFunc(combine, func(op ir.Op) bool { return op != ir.OpAdd }) {
		return false
	}
	registers := len(body.In) + len(body.Out) + 1 // that of a product
	least, most := make([]int, len(body.In)+len(body.Body)), make([]int, len(body.In)+len(body.Body))
	for i, in := range body.In {
		switch {
		case in.Splat:
			return false
		case in.DType == ir.Int8:
			least[i], most[i] = -1<<7, 1<<7-1
		case in.DType == ir.Uint8:
			most[i] = 1<<8 - 1
		default:
			return false
		}
	}
	for j, in := range body.Body {
		r, a, b := len(body.In)+j, in.Args[0], in.Args[1]
		if in.DType != ir.Int32 {
			return false
		}
		switch in.Op {
		case ir.OpCast:
			least[r], most[r] = least[a], most[a]
		case ir.OpAdd:
			least[r], most[r] = least[a]+least[b], most[a]+most[b]
			registers++
		case ir.OpSub:
			least[r], most[r] = least[a]-most[b], most[a]-least[b]
			registers++
		case ir.OpMul: // no other instruction can read it: it has too many bits
			most[r] = 1 << 30
		default:
			return false
		}
		if in.Op != ir.OpMul && (least[r] < -1<<15 || most[r] >= 1<<15) {
			return false
		}
	}
	for _, in := range body.Body {
		for _, a := range in.Args[:in.Arity()] {
			if in.Op == ir.OpMul && int(a) < len(body.In) || most[a] == 1<<30 {
				return false
			}
		}
	}
	return registers <= avx2Machine.Registers && !slices.ContainsFunc(body.Out, func(r kernel.Ref) bool { return most[r] != 1<<30 })
}

// compileByteProducts returns the function of such sums.
func compileByteProducts(body *kernel.Kernel) *Program {
	p := &byteProducts{body: body}
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, frameRows)), gp(productRows))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(cols))
	for _, r := range []int{productRows, cols} { // an empty row has no sum
		p.do("TESTQ", gp(r), gp(r))
		p.do("JLE", label("done"))
	}
	args := len(body.In) + len(body.Out)
	for i := range args {
		p.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(productFirst+i))
	}
	p.here("row", "each row")
	for o := range body.Out {
		p.do("VPXOR", y(p.sum(o)), y(p.sum(o)), y(p.sum(o)))
	}
	p.do("XORQ", gp(index), gp(index))
	for _, n := range []int{2, 1} {
		loop, end := p.fresh("vectors"), p.fresh("end")
		p.do("MOVQ", gp(cols), gp(dx))
		p.do("SUBQ", imm32(int64(n*productLanes)), gp(dx)) // the last index of n vectors
		p.do("CMPQ", gp(index), gp(dx))
		p.do("JGT", label(end))
		p.do("PCALIGN", imm(32))
		p.here(loop, counted(n, "vector")+" at a time")
		for v := range n {
			p.step(func(i int) {
				p.do(map[bool]string{false: "VPMOVZXBW", true: "VPMOVSXBW"}[p.signed(i)], mem(p.element(i, v*productLanes)), y(i))
			})
		}
		p.do("ADDQ", imm32(int64(n*productLanes)), gp(index))
		p.do("CMPQ", gp(index), gp(dx))
		p.do("JLE", label(loop))
		p.here(end)
	}
	p.do("CMPQ", gp(index), gp(cols))
	p.do("JGE", label("summed"))
	p.here("element", "the last elements one by one")
	p.step(func(i int) { // all other lanes are 0, and so are sums and differences of them
		p.do("MOVBQZX", mem(p.element(i, 0)), gp(ax))
		p.do("VMOVQ", gp(ax), x(i))
		if p.signed(i) {
			p.do("VPMOVSXBW", half(i), y(i))
		}
	})
	p.do("INCQ", gp(index))
	p.do("CMPQ", gp(index), gp(cols))
	p.do("JLT", label("element"))
	p.here("summed", "the row's sum")
	for o := range body.Out {
		p.store(o)
	}
	for i := range args {
		p.do("ADDQ", mem(at(cx, frameStep+8*i)), gp(productFirst+i))
	}
	p.do("DECQ", gp(productRows))
	p.do("JNE", label("row"))
	p.here("done")
	p.do("VZEROUPPER")
	p.do("RET")
	return &p.Program
}

// sum returns the vector register of the sums of an output: the last registers.
func (p *byteProducts) sum(output int) int { return avx2Machine.Registers - 1 - output }

func (p *byteProducts) signed(i int) bool { return ir.Signed.Has(p.body.In[i].DType) }

// element returns the address of an element of operand i, from the present index on.
func (p *byteProducts) element(i, from int) Memory {
	return at(productFirst+i, from).indexed(index, 1)
}

// step adds the products of the elements that load puts into register i for operand i.
func (p *byteProducts) step(load func(i int)) {
	in := make([]int, len(p.body.In)+len(p.body.Body)) // registers by value
	for i := range p.body.In {
		load(i)
		in[i] = i
	}
	free := len(p.body.In)
	for j, inst := range p.body.Body {
		r, a, b := len(p.body.In)+j, in[inst.Args[0]], in[inst.Args[1]]
		switch inst.Op {
		case ir.OpCast:
			in[r] = a
		case ir.OpAdd, ir.OpSub:
			in[r] = free
			p.do(map[ir.Op]string{ir.OpAdd: "VPADDW", ir.OpSub: "VPSUBW"}[inst.Op], y(b), y(a), y(free))
			free++
		case ir.OpMul:
			product := avx2Machine.Registers - 1 - len(p.body.Out)
			p.do("VPMADDWD", y(b), y(a), y(product))
			for o, out := range p.body.Out {
				if int(out) == r {
					p.do("VPADDD", y(product), y(p.sum(o)), y(p.sum(o)))
				}
			}
		}
	}
}

// store stores the sum of a row.
func (p *byteProducts) store(output int) {
	sum := p.sum(output)
	p.do("VEXTRACTF128", imm(1), y(sum), x(0))
	p.do("VPADDD", x(0), x(sum), x(sum))
	for _, lanes := range []int64{0xee, 0x55} {
		p.do("VSHUFPS", imm(lanes), x(sum), x(sum), x(0))
		p.do("VPADDD", x(0), x(sum), x(sum))
	}
	p.do("VMOVD", x(sum), mem(at(productFirst+len(p.body.In)+output, 0)))
}
