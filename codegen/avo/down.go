package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Column reductions: each column of a block of rows is reduced to one element. The
// tree of ir.ReduceRow over ReduceLanes virtual lanes is walked depth first. A virtual
// lane is reduced in the registers of its depth, and lane b+h is combined with lane b
// as soon as both are complete. So at most downDepths vectors of each block of columns
// are live, and none goes to memory. If the reduced extent is at most b+h, the subtree
// of lane b+h is empty, and a jump skips it.

// downVectors is how many vectors of columns are reduced side by side: downDepths
// times as many are live.
const downVectors = 2

// downDepths is the depth of the tree: ReduceLanes halved five times, and the lanes.
const downDepths = 6

// downer writes the function of a column reduction.
type downer struct {
	nest
	k         *kernel.Kernel
	g         *graph
	reduction *machine.Reduction
	lanes     int // elements of a vector
	steps     [][3][]machine.Inst
	spilled   int   // how many vectors the stack has to take
	tables    []int // in the frame: where each lane of a unit operand begins
	rounds    []int // the same: from one element of a lane to the next, in bytes
}

// The instructions of a depth, indices of downer.steps.
const (
	downBegins = iota // set the vectors to the first elements of a lane
	downTakes         // combine with the next elements
	downJoins         // combine with the vectors of the next depth
)

// General registers of downers, besides index, the column, and cols, the last
// column at which a block may begin. Those of the operands come behind.
const (
	downLength = firstFree + iota
	downNext   // the next element of a lane
	downRows   // that are left
	downFirst  // of the operands
)

// compileDown returns the function of a column reduction.
func compileDown(m *kernel.Micro) (*program, error) {
	g := machine.NewGraph(instructions{}, m.Body, []ir.Op{m.Op})
	d := &downer{k: m.Body, g: &graph{g}, reduction: g.Reductions[0], lanes: avx2Machine.Width / m.Body.In[0].DType.Size()}
	d.m = avx2Machine
	for depth := range downDepths {
		if err := d.allocateDepth(depth); err != nil {
			return nil, err
		}
	}
	d.spills = d.vectors(d.spilled)
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
func (d *downer) acc(depth, w int) ref { return d.g.Acc(depth*downVectors + w) }

func downRegister(depth, w int) int { return avx2Machine.Registers - 1 - depth*downVectors - w }

// allocateDepth schedules and allocates the instructions of a depth.
func (d *downer) allocateDepth(depth int) error {
	var roots [3][]ref
	pinned := map[ref]int{}
	for w := range downVectors {
		for i := range depth + 1 {
			pinned[d.acc(i, w)] = downRegister(i, w)
		}
		acc, v := d.acc(depth, w), d.value(w)
		for i, next := range []ref{d.g.Reload(d.g.Graph, v), d.reduction.Combine(d.g.Graph, acc, v), d.reduction.Combine(d.g.Graph, acc, d.acc(depth+1, w))} {
			roots[i] = append(roots[i], d.g.Carry(acc, next))
		}
	}
	var out [3][]machine.Inst
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
		leaf := func(r ref) bool { return d.g.At(r).Kind == machine.KindConst || d.g.At(r).Kind == machine.KindAcc }
		a, err := d.g.Allocate(d.g.Schedule(roots[i], leaf), pinned, nil)
		if err != nil {
			return err
		}
		out[i], d.spilled = a.Insts, max(d.spilled, a.Spills)
	}
	d.steps = append(d.steps, out)
	return nil
}

// value lowers the body for vector w.
func (d *downer) value(w int) ref {
	var vals []ref
	for i, in := range d.k.In {
		n := machine.Node{Kind: machine.KindSplat, Place: machine.Place{Operand: i, Size: in.DType.Size()}, Arg: machine.Args()}
		if !in.Splat {
			n.Kind, n.Place.Disp, n.Place.Bytes = machine.KindLoad, vectorBytes(w), vectorBytes(1)
		}
		vals = append(vals, d.g.Add(n))
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

// begin reads the frame, and fills the tables.
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
		d.tables[i], d.rounds[i] = d.local(8*ir.ReduceLanes), d.local(8)
		d.do("MOVQ", mem(at(cx, codegen.FrameStep+8*i)), gp(dx))
		d.do("XORQ", gp(ax), gp(ax))
		d.do("MOVQ", gp(downFirst+i), gp(index))
		d.here("table" + itoa(i))
		d.do("MOVQ", gp(index), mem(stack(d.tables[i]).indexed(ax, 8)))
		d.do("ADDQ", gp(dx), gp(index))
		d.do("INCQ", gp(ax))
		d.do("CMPQ", gp(ax), imm(ir.ReduceLanes))
		d.do("JLT", label("table"+itoa(i)))
		d.do("SHLQ", imm(5), gp(dx)) // ir.ReduceLanes
		d.do("MOVQ", gp(dx), mem(stack(d.rounds[i])))
	}
}

func (d *downer) unit(operand int) bool { return operand < len(d.k.In) && !d.k.In[operand].Splat }

// node reduces lane b and every h-th one after it.
func (d *downer) node(b, h, depth int) {
	if h == ir.ReduceLanes {
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

// lane reduces the elements of one virtual lane.
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
	d.do("MOVQ", imm32(int64(b+ir.ReduceLanes)), gp(downNext))
	d.do("CMPQ", gp(downNext), gp(downLength))
	d.do("JGE", label(end))
	d.here(loop)
	each(func(i int) { d.do("ADDQ", mem(stack(d.rounds[i])), gp(d.pointer[i].reg)) })
	d.term(d.steps[depth][downTakes], func(splat int) memory { return at(splat, 0).indexed(downNext, size) })
	d.do("ADDQ", imm(ir.ReduceLanes), gp(downNext))
	d.do("CMPQ", gp(downNext), gp(downLength))
	d.do("JLT", label(loop))
	d.here(end)
}

// term writes instructions that read elements of the operands. at returns where the
// element of a splat is, from the register of its pointer.
func (d *downer) term(list []machine.Inst, at func(reg int) memory) {
	for i := range list {
		if in := &list[i]; in.Op == machine.OpSplat {
			name := map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[in.Place.Size]
			d.do(name, mem(at(d.pointer[in.Place.Operand].reg)), y(in.Dst))
		} else {
			d.inst(in)
		}
	}
}

// store writes the vectors.
func (d *downer) store() {
	out := downFirst + len(d.k.In)
	for w := range downVectors {
		d.do("VMOVUPS", y(downRegister(0, w)), mem(at(out, vectorBytes(w)).indexed(index, vectorBytes(1)/d.lanes)))
	}
}

// next advances to the next columns, and then to the next row. The last block of
// columns ends at the last column, so it may repeat columns of the block before it.
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
