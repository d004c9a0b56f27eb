package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Column reductions (micro-kernel ReduceColumns): each column of a block of rows is reduced
// to one element. The function visits the tree of ir.ReduceRow over ReduceLanes virtual
// lanes depth first: reduce_columns_tree.go. A virtual lane is reduced in the accumulators
// of its depth, and lane b+h is combined with lane b as soon as both are complete. So at
// most treeDepths accumulators of each vector of columns are live, and all are in
// registers.

const (
	// columnVectors is how many vectors of columns are reduced side by side. They are
	// kernel.ColumnBlock columns of 4 bytes.
	columnVectors = 2
	// treeDepths is the number of levels of the tree: ReduceLanes halved five times, and
	// the lanes themselves.
	treeDepths = 6
)

// columnReducer writes the function of a column reduction.
type columnReducer struct {
	nest
	k          *kernel.Kernel
	g          *graph
	combiner   machine.Combiner
	lanes      int // elements of a vector
	depths     [treeDepths]depthInsts
	spilled    int   // how many vectors are spilled to the stack
	laneStarts []int // by operand, an offset in the stack frame: a table of pointers to the first element of each virtual lane
	laneSteps  []int // by operand, an offset in the stack frame: bytes from one element of a virtual lane to the next
}

// depthInsts has the instructions on the accumulators of one depth of the tree.
type depthInsts struct {
	begin   []machine.Inst // set them to the first elements of a lane
	next    []machine.Inst // combine them with the next elements
	combine []machine.Inst // combine them with the accumulators of the next depth
}

// General registers of column reductions, besides index, which is the first column of the
// block, and cols, which is the first column of the last block.
const (
	columnLength  = firstFree + iota // the length of the reduced axis
	columnNext                       // the index of the next element of a lane
	columnRows                       // how many rows of the output are left
	columnPointer                    // the pointer of the first operand; those of the others follow
)

// compileReduceColumns returns the function of a column reduction.
func compileReduceColumns(m *kernel.Micro) (*program, error) {
	g := machine.NewGraph(avx2, m.Body, []ir.Op{m.Op})
	c := &columnReducer{k: m.Body, g: &graph{Graph: g}, combiner: machine.Combiner{By: m.Op, DType: g.Reductions[0].DType}, lanes: avx2Machine.Width / m.Body.In[0].DType.Size()}
	c.t, c.m = avx2, avx2Machine
	for depth := range treeDepths {
		if err := c.allocateDepth(depth); err != nil {
			return nil, err
		}
	}
	c.spills = c.vectors(c.spilled)
	c.begin(m)
	c.here("row")
	c.do("XORQ", gp(index), gp(index))
	c.do("PCALIGN", imm(32))
	c.here("columns")
	c.subtree(0, 1, 0)
	c.store()
	c.next()
	return &c.program, nil
}

// acc is the accumulator of vector w of the columns at a depth. It is in accRegister
// throughout.
func (c *columnReducer) acc(depth, w int) ref { return c.g.Acc(depth*columnVectors + w) }

func accRegister(depth, w int) int { return avx2Machine.Registers - 1 - depth*columnVectors - w }

// allocateDepth schedules and allocates the instructions of a depth. The accumulators of
// all depths above it are live and keep their registers.
func (c *columnReducer) allocateDepth(depth int) error {
	var begin, next, combine []ref
	pinned := map[ref]int{}
	for w := range columnVectors {
		for i := range depth + 1 {
			pinned[c.acc(i, w)] = accRegister(i, w)
		}
		acc, v := c.acc(depth, w), c.value(w)
		begin = append(begin, c.g.Carry(acc, c.g.Reload(c.g.Graph, v)))
		next = append(next, c.g.Carry(acc, c.combiner.Combine(c.g.Graph, acc, v)))
		combine = append(combine, c.g.Carry(acc, c.combiner.Combine(c.g.Graph, acc, c.acc(depth+1, w))))
	}
	var err error
	d := &c.depths[depth]
	if d.begin, err = c.allocate(begin, pinned); err != nil {
		return err
	}
	if d.next, err = c.allocate(next, pinned); err != nil {
		return err
	}
	if depth == treeDepths-1 { // the leaves of the tree
		return nil
	}
	for w := range columnVectors {
		pinned[c.acc(depth+1, w)] = accRegister(depth+1, w)
	}
	d.combine, err = c.allocate(combine, pinned)
	return err
}

func (c *columnReducer) allocate(roots []ref, pinned map[ref]int) ([]machine.Inst, error) {
	leaf := func(r ref) bool { return c.g.At(r).Kind == machine.KindConst || c.g.At(r).Kind == machine.KindAcc }
	a, err := c.g.Allocate(c.g.Schedule(roots, leaf), pinned, nil)
	if err != nil {
		return nil, err
	}
	c.spilled = max(c.spilled, a.Spills)
	return a.Insts, nil
}

// value lowers the body for vector w of the columns.
func (c *columnReducer) value(w int) ref {
	var vals []ref
	for i, in := range c.k.In {
		n := machine.Node{Kind: machine.KindSplat, Place: machine.Place{Operand: i, Size: in.DType.Size()}, Arg: machine.Args()}
		if !in.Splat {
			n.Kind, n.Place.Disp, n.Place.Bytes = machine.KindLoad, vectorBytes(w), vectorBytes(1)
		}
		vals = append(vals, c.g.Add(n))
	}
	for _, in := range c.k.Body {
		var a [3]ref
		for i, r := range in.Args[:in.Arity()] {
			a[i] = vals[r]
		}
		vals = append(vals, avx2.rows[key{in.Op, in.DType}](c.g, a))
	}
	return vals[c.k.Out[0]]
}

// begin reads the frame, and computes where the virtual lanes of unit operands begin.
func (c *columnReducer) begin(m *kernel.Micro) {
	c.do("MOVQ", frameArg(), gp(cx))
	for _, count := range []struct{ at, reg int }{{codegen.FrameCols, cols}, {codegen.FrameRows, columnRows}, {codegen.FrameStep + 8*m.FieldAt(0), columnLength}} {
		c.do("MOVQ", mem(at(cx, count.at)), gp(count.reg))
		c.do("TESTQ", gp(count.reg), gp(count.reg))
		c.do("JLE", label("done"))
	}
	c.do("SUBQ", imm(int64(columnVectors*c.lanes)), gp(cols))
	for i := range len(c.k.In) + 1 {
		c.pointer = append(c.pointer, place64{reg: columnPointer + i})
		c.do("MOVQ", mem(at(cx, codegen.FramePtr+8*i)), gp(columnPointer+i))
		c.laneStarts, c.laneSteps = append(c.laneStarts, 0), append(c.laneSteps, 0)
		if !c.unit(i) {
			continue
		}
		c.laneStarts[i], c.laneSteps[i] = c.local(8*ir.ReduceLanes), c.local(8)
		c.do("MOVQ", mem(at(cx, codegen.FrameStep+8*i)), gp(dx))
		c.do("XORQ", gp(ax), gp(ax))
		c.do("MOVQ", gp(columnPointer+i), gp(index))
		c.here("table" + itoa(i))
		c.do("MOVQ", gp(index), mem(stack(c.laneStarts[i]).indexed(ax, 8)))
		c.do("ADDQ", gp(dx), gp(index))
		c.do("INCQ", gp(ax))
		c.do("CMPQ", gp(ax), imm(ir.ReduceLanes))
		c.do("JLT", label("table"+itoa(i)))
		c.do("SHLQ", imm(5), gp(dx)) // ir.ReduceLanes
		c.do("MOVQ", gp(dx), mem(stack(c.laneSteps[i])))
	}
}

// unit reports whether an operand is a unit operand.
func (c *columnReducer) unit(operand int) bool {
	return operand < len(c.k.In) && !c.k.In[operand].Splat
}

// store stores the results of a block of columns.
func (c *columnReducer) store() {
	out := columnPointer + len(c.k.In)
	for w := range columnVectors {
		c.do("VMOVUPS", y(accRegister(0, w)), mem(at(out, vectorBytes(w)).indexed(index, vectorBytes(1)/c.lanes)))
	}
}

// next advances to the next block of columns, and after the last one to the next row. The
// last block ends at the last column, so it may compute columns of the block before it a
// second time.
func (c *columnReducer) next() {
	c.do("CMPQ", gp(index), gp(cols))
	c.do("JEQ", label("next"))
	c.do("ADDQ", imm(int64(columnVectors*c.lanes)), gp(index))
	c.do("CMPQ", gp(index), gp(cols))
	c.do("JLE", label("columns"))
	c.do("MOVQ", gp(cols), gp(index))
	c.do("JMP", label("columns"))
	c.here("next")
	c.do("MOVQ", frameArg(), gp(cx))
	for i, p := range c.pointer {
		if !c.unit(i) {
			c.do("ADDQ", mem(at(cx, codegen.FrameStep+8*i)), gp(p.reg))
		}
	}
	c.do("DECQ", gp(columnRows))
	c.do("JNE", label("row"))
	c.here("done")
	c.do("VZEROUPPER")
	c.do("RET")
}
