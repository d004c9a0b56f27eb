package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Column reductions (micro-kernel ReduceColumns): each column of a strip of columns is reduced
// to one element. The function visits the tree of ir.ReduceRow over ReduceLanes virtual
// lanes depth first: reduce_columns_tree.go. A virtual lane is reduced in the accumulators
// of its depth, and lane b+h is combined with lane b as soon as both are complete. So at
// most treeDepths accumulators of each vector of columns are live, and all are in
// registers.

// treeDepths is the number of levels of the tree: ReduceLanes halved five times, and
// the lanes themselves.
const treeDepths = 6

// columnReducer writes the function of a column reduction.
type columnReducer struct {
	nest
	columnPart
	k          *kernel.Kernel
	g          *graph
	combiner   vector.Combiner
	spilled    int   // how many vectors are spilled to the stack
	laneStarts []int // by operand, an offset in the stack frame: a table of pointers to the first element of each virtual lane
	laneSteps  []int // by operand, an offset in the stack frame: bytes from one element of a virtual lane to the next
}

// columnPart is a part of the function, for many columns or for few.
type columnPart struct {
	name  string // what its labels begin with
	strip int    // how many vectors of columns are reduced side by side
	// masked says that the last strip is masked. Otherwise it ends at the last column, computes some columns of the previous strip a
	// second time, and needs at least one whole strip. Emerald Rapids: masks take 1.1 to 1.4 of the time.
	masked   bool
	begins   [treeDepths][]vector.Inst // set the accumulators of a depth to the first elements of a lane
	nexts    [treeDepths][]vector.Inst // combine them with the next elements
	combines [treeDepths][]vector.Inst // combine them with those of the next depth
}

// General registers of column reductions. In addition, index has the first column of the strip, and cols the first column of the
// last strip, or the number of columns if the last strip is masked.
const (
	columnLength  = firstFree + iota // the length of the reduced axis
	columnNext                       // the index of the next element of a lane, from columnBase on
	columnRows                       // how many rows of the output are left
	columnBase                       // the first lane of a subtree
	columnPointer                    // the pointer of the first operand; those of the others follow

	columnSplat = ax // the pointers to elements of the splat operands, at most two
	columnLeft  = dx // the elements of the reduced axis from columnBase on
)

// compileReduceColumns returns the function of a column reduction. A strip is as wide as the registers allow. If that is wider
// than kernel.ColumnBlock, fewer columns are reduced vector by vector.
func compileReduceColumns(t *Target, m *kernel.Micro) (*Program, error) {
	g := vector.NewGraph(t, m.Body, []ir.Op{m.Op})
	c := &columnReducer{k: m.Body, g: &graph{Graph: g}, combiner: vector.Combiner{By: m.Op, DType: g.Reductions[0].DType}}
	c.t, c.m = t, t.m
	parts := []columnPart{{strip: (t.m.Registers - t.m.Working) / treeDepths}}
	if t.m.Masks > 0 {
		parts = append(parts, columnPart{name: "few", strip: 1, masked: true})
	}
	for i := range parts {
		c.columnPart = parts[i]
		if err := c.allocateDepths(); err != nil {
			return nil, err
		}
		parts[i] = c.columnPart
	}
	c.spills = c.vectors(c.spilled)
	c.placeVectors(func() int {
		if behind := columnPointer + len(c.k.In) + 1; behind < GeneralRegisters {
			return behind
		}
		return -1
	})
	c.columnPart = parts[0]
	c.begin(m)
	if len(parts) > 1 {
		c.do("CMPQ", gp(cols), imm(int64(c.columns())))
		c.do("JLT", label(parts[1].name+"row"))
	}
	for _, c.columnPart = range parts {
		c.reduceRows()
	}
	c.here("done")
	c.do("VZEROUPPER")
	c.do("RET")
	return &c.Program, nil
}

// acc returns the accumulator of vector w of the columns at a depth. It always is in accRegister.
func (c *columnReducer) acc(depth, w int) ref { return c.g.Acc(depth*c.strip + w) }

func (c *columnReducer) accRegister(depth, w int) int {
	return c.m.Registers - 1 - depth*c.strip - w
}

// mask returns the mask of a strip of one vector. It always is in maskRegister.
func (c *columnReducer) mask() ref {
	return c.g.Add(vector.Node{Kind: vector.KindAcc, Class: vector.ClassMask, Slot: treeDepths, Arg: vector.Args()})
}

func (c *columnReducer) maskRegister() int { return c.m.Registers }

// allocateDepths schedules and allocates the instructions of all depths. The accumulators
// keep their registers.
func (c *columnReducer) allocateDepths() (err error) {
	allocate := func(depth, live int, next func(acc ref, w int) ref) (insts []vector.Inst) {
		var roots []ref
		for w := range c.strip {
			roots = append(roots, c.g.Carry(c.acc(depth, w), next(c.acc(depth, w), w)))
		}
		if err == nil {
			insts, err = c.allocate(roots, live)
		}
		return insts
	}
	for depth := subtreeDepth; depth < treeDepths; depth++ {
		c.begins[depth] = allocate(depth, depth, func(_ ref, w int) ref { return c.g.Reload(c.g.Graph, c.value(w)) })
		c.nexts[depth] = allocate(depth, depth, func(acc ref, w int) ref { return c.combiner.Combine(c.g.Graph, acc, c.value(w)) })
	}
	for depth := range treeDepths - 1 {
		c.combines[depth] = allocate(depth, depth+1, func(acc ref, w int) ref { return c.combiner.Combine(c.g.Graph, acc, c.acc(depth+1, w)) })
	}
	return err
}

// allocate allocates instructions while the accumulators up to a depth are live.
func (c *columnReducer) allocate(roots []ref, live int) ([]vector.Inst, error) {
	pinned := map[ref]int{}
	for depth := range live + 1 {
		for w := range c.strip {
			pinned[c.acc(depth, w)] = c.accRegister(depth, w)
		}
	}
	if c.masked {
		pinned[c.mask()] = c.maskRegister()
	}
	leaf := func(r ref) bool { return c.g.At(r).Kind == vector.KindConst || c.g.At(r).Kind == vector.KindAcc }
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
		place := vector.PlaceOf(i, in.DType.Size(), 0, 0)
		if in.Splat {
			vals = append(vals, c.g.Add(vector.Node{Kind: vector.KindSplat, Place: place, Arg: vector.Args()}))
			continue
		}
		place = place.At(c.m.Width*w, c.m.Width)
		n := vector.Node{Kind: vector.KindLoad, Place: place, Arg: vector.Args()}
		if c.masked {
			n.Kind, n.Op, n.Arg = vector.KindOp, c.t.opcode(widthOf("MASKLOAD", in.DType)), vector.Args(c.mask())
		}
		vals = append(vals, c.g.Add(n))
	}
	for _, in := range c.k.Body {
		var a [3]ref
		for i, r := range in.Args[:in.Arity()] {
			a[i] = vals[r]
		}
		vals = append(vals, c.t.rows[key{in.Op, in.DType}](c.g, a))
	}
	return vals[c.k.Out[0]]
}

// begin reads the frame, and computes where the virtual lanes of unit operands begin.
func (c *columnReducer) begin(m *kernel.Micro) {
	c.do("MOVQ", frameArg(), gp(cx))
	for _, count := range []struct{ at, reg int }{{frameCols, cols}, {frameRows, columnRows}, {frameStep + 8*m.FieldAt(0), columnLength}} {
		c.do("MOVQ", mem(at(cx, count.at)), gp(count.reg))
		c.do("TESTQ", gp(count.reg), gp(count.reg))
		c.do("JLE", label("done"))
	}
	c.alignVectors()
	for i := range len(c.k.In) + 1 {
		c.pointer = append(c.pointer, place64{reg: columnPointer + i})
		c.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(columnPointer+i))
		c.laneStarts, c.laneSteps = append(c.laneStarts, 0), append(c.laneSteps, 0)
		if !c.unit(i) {
			continue
		}
		c.laneStarts[i], c.laneSteps[i] = c.local(8*ir.ReduceLanes), c.local(8)
		c.do("MOVQ", mem(at(cx, frameStep+8*i)), gp(dx))
		c.do("XORQ", gp(ax), gp(ax))
		c.do("MOVQ", gp(columnPointer+i), gp(index))
		c.here("table"+itoa(i), "where the lanes begin")
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

// lanes is how many elements a vector has, and columns a strip.
func (c *columnReducer) lanes() int   { return c.m.Width / c.k.In[0].DType.Size() }
func (c *columnReducer) columns() int { return c.strip * c.lanes() }

// mark writes a label of the part, and to refers to one.
func (c *columnReducer) mark(name string)   { c.here(c.name + name) }
func (c *columnReducer) to(name string) Arg { return label(c.name + name) }

// reduceRows reduces the columns of all rows of the output, strip by strip.
func (c *columnReducer) reduceRows() {
	if !c.masked {
		c.do("SUBQ", imm(int64(c.columns())), gp(cols))
	}
	c.mark("row")
	c.do("XORQ", gp(index), gp(index))
	c.do("PCALIGN", imm(32))
	c.mark("columns")
	if c.masked {
		c.setMask()
	}
	c.tree()
	c.store()
	c.next()
}

// setMask sets the mask of a strip to the columns that are left.
func (c *columnReducer) setMask() {
	c.do("MOVQ", gp(cols), gp(cx))
	c.do("SUBQ", gp(index), gp(cx))
	c.do("MOVQ", imm32(-1), gp(dx))
	c.do("BZHIQ", gp(cx), gp(dx), gp(dx)) // there are few
	c.do("KMOVW", lowOf(dx), c.reg(c.maskRegister()))
}

// store stores the results of a strip.
func (c *columnReducer) store() {
	for w := range c.strip {
		to := mem(at(columnPointer+len(c.k.In), c.m.Width*w).indexed(index, c.m.Width/c.lanes()))
		if c.masked {
			c.do(widthOf("VMOVU", c.k.In[0].DType), y(c.accRegister(0, w)), c.reg(c.maskRegister()), to)
		} else {
			c.do("VMOVUPS", y(c.accRegister(0, w)), to)
		}
	}
}

// next advances to the next strip, and after the last one to the next row.
func (c *columnReducer) next() {
	strip := imm(int64(c.columns()))
	if c.masked {
		c.do("ADDQ", strip, gp(index))
		c.do("CMPQ", gp(index), gp(cols))
		c.do("JLT", c.to("columns"))
	} else {
		c.do("CMPQ", gp(index), gp(cols))
		c.do("JEQ", c.to("next"))
		c.do("ADDQ", strip, gp(index))
		c.do("CMPQ", gp(index), gp(cols))
		c.do("JLE", c.to("columns"))
		c.do("MOVQ", gp(cols), gp(index))
		c.do("JMP", c.to("columns"))
		c.mark("next")
	}
	c.do("MOVQ", frameArg(), gp(cx))
	for i, p := range c.pointer {
		if !c.unit(i) {
			c.do("ADDQ", mem(at(cx, frameStep+8*i)), gp(p.reg))
		}
	}
	c.do("DECQ", gp(columnRows))
	c.do("JNE", c.to("row"))
	if !c.masked {
		c.do("JMP", label("done"))
	}
}
