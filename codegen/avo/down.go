package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Folds down the rows. The tree of ir.FoldRow is walked depth first: a lane is
// folded in the registers of its depth, and lane b+h into lane b as soon as both
// are there. So at most six vectors of each column block are under way, and none
// goes to memory. If a line has no element b+h, neither has it what is below, and
// the walk goes round that.

// downVectors is how many vectors of columns go through the tree together: six
// times as many are under way.
const downVectors = 2

// downDepths is how often ir.FoldLanes are halved, and the lanes themselves.
const downDepths = 6

// downer writes the function of a kernel that folds down.
type downer struct {
	nest
	k       *kernel.Kernel
	g       *graph
	fold    *fold
	lanes   int // elements of a vector
	steps   [][3][]machineInst
	spilled int   // how many vectors the stack has to take
	tables  []int // in the frame: where each lane of a unit operand begins
	rounds  []int // the same: from one element of a lane to the next, in bytes
}

// The instructions of a depth.
const (
	downBegins = iota // set the vectors to the first elements of a lane
	downTakes         // fold in the next
	downJoins         // fold in the vectors of the next depth
)

// General registers of downers, besides index, the column, and cols, the last
// column at which a block may begin. Those of the operands come behind.
const (
	downLength = firstFree + iota
	downNext   // the next element of a lane
	downRows   // that are left
	downFirst  // of the operands
)

// compileDown returns the function of a kernel that folds down.
func compileDown(k *kernel.Kernel) (*program, error) {
	d := &downer{k: k, g: newGraph(), fold: foldsOf(k)[0], lanes: 32 / k.In[0].DType.Size()}
	d.g.outline = newOutline(k)
	for depth := range downDepths {
		if err := d.allocateDepth(depth); err != nil {
			return nil, err
		}
	}
	d.spills = d.local(32 * d.spilled)
	d.begin()
	d.here("row")
	d.do("XORQ", gp(index), gp(index))
	d.do("PCALIGN", imm(32))
	d.here("columns")
	d.node(0, 1, 0)
	d.store()
	d.next()
	return &d.program, nil
}

// acc is vector w of a depth. Its register is the same throughout.
func (d *downer) acc(depth, w int) ref { return d.g.accNode(depth*downVectors + w) }

func downRegister(depth, w int) int { return vectorRegisters - 1 - depth*downVectors - w }

// allocateDepth makes the instructions of a depth.
func (d *downer) allocateDepth(depth int) error {
	var roots [3][]ref
	pinned := map[ref]int{}
	for w := range downVectors {
		for i := range depth + 1 {
			pinned[d.acc(i, w)] = downRegister(i, w)
		}
		acc, v := d.acc(depth, w), d.value(w)
		for i, next := range []ref{(&lowerer{graph: d.g}).loaded(v), d.fold.row(d.g, acc, v), d.fold.row(d.g, acc, d.acc(depth+1, w))} {
			roots[i] = append(roots[i], d.g.carry(acc, next))
		}
	}
	var out [3][]machineInst
	for i := range roots {
		for w := range downVectors {
			switch {
			case i != downJoins:
			case depth == downDepths-1: // of single lanes
				roots[i] = nil
			default:
				pinned[d.acc(depth+1, w)] = downRegister(depth+1, w)
			}
		}
		leaf := func(r ref) bool { return d.g.at(r).kind == kConst || d.g.at(r).kind == kAcc }
		a, err := d.g.allocate(d.g.schedule(roots[i], leaf, apart), pinned, nil)
		if err != nil {
			return err
		}
		out[i], d.spilled = a.out, max(d.spilled, a.spills)
	}
	d.steps = append(d.steps, out)
	return nil
}

// value lowers the body for vector w.
func (d *downer) value(w int) ref {
	var vals []ref
	for i, in := range d.k.In {
		n := node{kind: kSplat, place: place{operand: i, size: in.DType.Size()}, arg: noArgs}
		if !in.Splat {
			n.kind, n.place.disp, n.place.bytes = kLoad, 32*w, 32
		}
		vals = append(vals, d.g.add(n))
	}
	for _, in := range d.k.Body {
		var a [3]ref
		for i, r := range in.Args[:in.Arity()] {
			a[i] = vals[r]
		}
		vals = append(vals, rows[key{in.Op, in.DType}](d.g, a))
	}
	return vals[d.k.Out[0]]
}

// begin reads the frame, and makes the tables.
func (d *downer) begin() {
	d.do("MOVQ", frameArg(), gp(cx))
	for _, count := range []struct{ at, reg int }{{codegen.FrameCols, cols}, {codegen.FrameRows, downRows}, {codegen.FrameStep + 8*(len(d.k.In)+1), downLength}} {
		d.do("MOVQ", mem(at(cx, count.at)), gp(count.reg))
		d.do("TESTQ", gp(count.reg), gp(count.reg))
		d.do("JLE", label("done"))
	}
	d.do("SUBQ", imm(int64(downVectors*d.lanes)), gp(cols))
	for i := range len(d.k.In) + 1 {
		d.pointer = append(d.pointer, place64{reg: downFirst + i})
		d.do("MOVQ", mem(at(cx, codegen.FramePtr+8*i)), gp(downFirst+i))
		d.tables, d.rounds = append(d.tables, 0), append(d.rounds, 0)
		if !d.unit(i) {
			continue
		}
		d.tables[i], d.rounds[i] = d.local(8*ir.FoldLanes), d.local(8)
		d.do("MOVQ", mem(at(cx, codegen.FrameStep+8*i)), gp(dx))
		d.do("XORQ", gp(ax), gp(ax))
		d.do("MOVQ", gp(downFirst+i), gp(index))
		d.here("table" + itoa(i))
		d.do("MOVQ", gp(index), mem(stack(d.tables[i]).indexed(ax, 8)))
		d.do("ADDQ", gp(dx), gp(index))
		d.do("INCQ", gp(ax))
		d.do("CMPQ", gp(ax), imm(ir.FoldLanes))
		d.do("JLT", label("table"+itoa(i)))
		d.do("SHLQ", imm(5), gp(dx)) // ir.FoldLanes
		d.do("MOVQ", gp(dx), mem(stack(d.rounds[i])))
	}
}

func (d *downer) unit(operand int) bool { return operand < len(d.k.In) && !d.k.In[operand].Splat }

// node folds lane b and every h-th after it.
func (d *downer) node(b, h, depth int) {
	if h == ir.FoldLanes {
		d.lane(b, depth)
		return
	}
	d.node(b, 2*h, depth)
	without := "without" + itoa(b+h)
	d.do("CMPQ", gp(downLength), imm(int64(b+h)))
	d.do("JLE", label(without))
	d.node(b+h, 2*h, depth+1)
	d.insts(d.steps[depth][downJoins])
	d.here(without)
}

// lane folds the elements of one lane.
func (d *downer) lane(b, depth int) {
	each := func(do func(i int)) {
		for i := range d.k.In {
			if d.unit(i) {
				do(i)
			}
		}
	}
	size := d.k.In[0].DType.Size()
	loop, end := "lane"+itoa(b), "end"+itoa(b)
	each(func(i int) { d.do("MOVQ", mem(stack(d.tables[i]+8*b)), gp(d.pointer[i].reg)) })
	d.term(d.steps[depth][downBegins], func(splat int) memory { return at(splat, size*b) })
	d.do("MOVQ", imm32(int64(b+ir.FoldLanes)), gp(downNext))
	d.do("CMPQ", gp(downNext), gp(downLength))
	d.do("JGE", label(end))
	d.here(loop)
	each(func(i int) { d.do("ADDQ", mem(stack(d.rounds[i])), gp(d.pointer[i].reg)) })
	d.term(d.steps[depth][downTakes], func(splat int) memory { return at(splat, 0).indexed(downNext, size) })
	d.do("ADDQ", imm(ir.FoldLanes), gp(downNext))
	d.do("CMPQ", gp(downNext), gp(downLength))
	d.do("JLT", label(loop))
	d.here(end)
}

// term writes instructions that read elements of the operands, the splats' where
// at says of their registers.
func (d *downer) term(list []machineInst, at func(reg int) memory) {
	for i := range list {
		if in := &list[i]; in.op == opSplat {
			name := map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[in.place.size]
			d.do(name, mem(at(d.pointer[in.place.operand].reg)), y(in.dst))
		} else {
			d.inst(in)
		}
	}
}

// store writes the vectors.
func (d *downer) store() {
	out := downFirst + len(d.k.In)
	for w := range downVectors {
		d.do("VMOVUPS", y(downRegister(0, w)), mem(at(out, 32*w).indexed(index, 32/d.lanes)))
	}
}

// next moves to the next columns, the last of which may have been among others
// before, and then to the next row.
func (d *downer) next() {
	d.do("CMPQ", gp(index), gp(cols))
	d.do("JEQ", label("next"))
	d.do("ADDQ", imm(int64(downVectors*d.lanes)), gp(index))
	d.do("CMPQ", gp(index), gp(cols))
	d.do("JLE", label("columns"))
	d.do("MOVQ", gp(cols), gp(index))
	d.do("JMP", label("columns"))
	d.here("next")
	d.do("MOVQ", frameArg(), gp(cx))
	for i, p := range d.pointer {
		if !d.unit(i) {
			d.do("ADDQ", mem(at(cx, codegen.FrameStep+8*i)), gp(p.reg))
		}
	}
	d.do("DECQ", gp(downRows))
	d.do("JNE", label("row"))
	d.here("done")
	d.do("VZEROUPPER")
	d.do("RET")
}
