package codegen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The portable emitter writes a kernel's expanded body as a Go loop over rows and columns. Its input is a canonical kernel, its
// output the text of a function of abi.Frame. Every intermediate is converted explicitly, so the Go compiler contracts
// nothing and the bits are those of the assembly.

const (
	// sideBySide is the number of elements that the loop of a long body computes side by side, so that the processor
	// overlaps their chains of dependent operations. Measured on exp and tanh: 1.2 to 1.5 times as fast as one by one.
	// Four are no faster where math.FMA checks for the instruction each time (GOAMD64=v1), a tenth faster elsewhere, and take
	// twice the code: 44 kB for one tanh.
	sideBySide = 2
	// sideBySideFMA is that number for bodies with float32 FMA. Its emulation makes chains long: with two elements exp takes
	// 1.6 times as long on Zen 3, tanh and sigmoid 1.25 to 1.35 times.
	sideBySideFMA = 4
	// longBody is the least number of operations of a long body.
	longBody = 8
)

// portable writes kernels as Go loops.
type portable struct {
	strings.Builder
	sideBySide bool // compute elements of long bodies side by side
}

func (w *portable) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func itoa(n int) string { return strconv.Itoa(n) }

// goKernel writes the parts of one function. The names of values show what they are: a0 is the row of a unit input, s1 a splat,
// v0 an element of a0, o0 the row of an output, l0 its lanes if it is combined, c3 a constant, t4 an instruction's result.
type goKernel struct {
	*portable
	k       *kernel.Kernel // expanded
	combine []ir.Op        // the combiner of each output; nil if all are stored
	varies  []bool         // whether each value differs along the columns
	main    *kernel.Region // the values that every element needs
	fma     fmaForm        // how float32 FMA is written
	width   int            // elements that a block computes side by side
}

// combiner returns the op that combines output i, OpInvalid if it is stored.
func (g *goKernel) combiner(i int) ir.Op {
	if g.combine == nil {
		return ir.OpInvalid
	}
	return g.combine[i]
}

// operations counts the instructions of the loop that take time.
func (g *goKernel) operations() int {
	n := 0
	for j, in := range g.k.Body {
		if g.varies[len(g.k.In)+j] && in.Op.Info().Cost > 0 {
			n++
		}
	}
	return n
}

// operands writes the rows of the operands, and reads the splats.
func (g *goKernel) operands() {
	args := g.k.ArgsOf()
	for i, in := range g.k.In {
		switch {
		case !g.usedGroup(i):
		case in.Splat:
			g.printf("s%d := *%s\n", i, address(in.DType, args[i]))
		default:
			g.row(g.input(i), in.DType, args[i])
		}
	}
	for i, r := range g.k.Out {
		if g.combiner(i) == ir.OpInvalid {
			g.row(g.output(i), g.k.DType(r), args[len(g.k.In)+i])
		}
	}
}

// row writes the row of an operand. The first member of a group has the row of all of them.
func (g *goKernel) row(o rowOf, d ir.DType, arg int) {
	if o.member.At == 0 {
		g.printf("%s := unsafe.Slice(%s, %s)\n", o.name, address(d, arg), o.index("n"))
	}
}

func address(d ir.DType, i int) string {
	return fmt.Sprintf("(*%s)(unsafe.Add(f.Ptr[%d], r*f.Step[%d]))", goType(d), i, i)
}

// uniform writes the instructions that are the same for all columns.
func (g *goKernel) uniform() {
	for j, in := range g.k.Body {
		if r := kernel.Ref(len(g.k.In) + j); in.Op != ir.OpConst && !g.varies[r] {
			g.inst(r, []string{""})
		}
	}
}

// element computes element i.
func (g *goKernel) element() {
	for _, i := range g.units() {
		g.printf("v%d := %s\n", i, g.input(i).at("i"))
	}
	g.region(g.main, []string{""})
	for i, r := range g.k.Out {
		if g.combiner(i) != ir.OpInvalid {
			g.accumulate(i, g.value(r, ""), "i", "")
			continue
		}
		g.printf("%s = %s\n", g.output(i).at("i"), g.value(r, ""))
	}
}

// laneNames returns the ends of the names of elements of a block.
func (g *goKernel) laneNames() []string { return strings.Split("abcdefgh"[:g.width], "") }

// block computes elements i, i+1, ... side by side. All are read before any is
// written: an output may be an input.
func (g *goKernel) block() {
	lanes := g.laneNames()
	for _, i := range g.units() {
		o := g.input(i)
		g.printf("x%d := %s\n", i, o.block(g.width))
		g.printf("%s := ", g.across(kernel.Ref(i), lanes))
		g.printf("%s\n", g.indices(fmt.Sprintf("x%d", i), o.member))
	}
	g.region(g.main, lanes)
	for i, r := range g.k.Out {
		if g.combiner(i) != ir.OpInvalid {
			for j, lane := range lanes {
				g.accumulate(i, g.value(r, lane), "(i+"+itoa(j)+")", lane)
			}
			continue
		}
		o := g.output(i)
		g.printf("y%d := %s\n", i, o.block(g.width))
		g.printf("%s = %s\n", g.indices(fmt.Sprintf("y%d", i), o.member), g.across(r, lanes))
	}
}

// region writes the instructions of a region in the order of the body, except that the inputs of a cold block come before
// the block.
func (g *goKernel) region(r *kernel.Region, lanes []string) {
	blocks := map[kernel.Ref]*kernel.ColdBlock{}
	for _, d := range r.Cold {
		for _, v := range d.Selects {
			blocks[v] = d
		}
	}
	done := make([]bool, len(r.Has))
	var visit func(v kernel.Ref)
	visit = func(v kernel.Ref) {
		switch d := blocks[v]; {
		case !r.Has[v] || done[v]:
		case d != nil:
			for _, v := range d.Selects {
				done[v] = true
				visit(g.k.Inst(v).Args[2])
			}
			visit(d.Cond)
			for _, v := range d.Inputs {
				visit(v)
			}
			g.cold(d, lanes)
		default:
			done[v] = true
			in := g.k.Inst(v)
			for _, a := range in.Args[:in.Arity()] {
				visit(a)
			}
			g.inst(v, lanes)
		}
	}
	for j := range g.k.Body {
		visit(kernel.Ref(len(g.k.In) + j))
	}
}

// cold writes a cold block: in each lane an if statement around its body.
func (g *goKernel) cold(d *kernel.ColdBlock, lanes []string) {
	for _, lane := range lanes {
		for _, v := range d.Selects {
			g.printf("%s := %s\n", g.value(v, lane), g.value(g.k.Inst(v).Args[2], lane))
		}
		g.printf("if %s {\n", g.value(d.Cond, lane))
		g.region(d.Body, []string{lane})
		for _, v := range d.Selects {
			g.printf("%s = %s\n", g.value(v, lane), g.value(g.k.Inst(v).Args[1], lane))
		}
		g.printf("}\n")
	}
}

// inst writes an instruction, once a lane.
func (g *goKernel) inst(r kernel.Ref, lanes []string) {
	in := g.k.Inst(r)
	if in.Op == ir.OpFMA && in.DType == ir.Float32 && g.fma != callsFMA && g.fusible(in) {
		g.mulAdd(r, lanes)
		return
	}
	// The last operand decides the type: a select's first operand is bool.
	t := portableOps[in.Op](g.k.DType(in.Args[in.Arity()-1]), in.DType)
	if statements := strings.Contains(string(t), "$t"); statements {
		for _, lane := range lanes {
			g.printf("%s\n", g.fill(t, r, lane))
		}
		return
	}
	exprs := make([]string, len(lanes))
	for i, lane := range lanes {
		exprs[i] = g.fill(t, r, lane)
	}
	g.printf("%s := %s\n", g.across(r, lanes), strings.Join(exprs, ", "))
}

// fill puts names into a template.
func (g *goKernel) fill(t template, r kernel.Ref, lane string) string {
	in := g.k.Inst(r)
	pairs := []string{"$t", g.value(r, lane), "$T", goType(in.DType), "$c", g.constantOf(r)}
	for i, a := range in.Args[:in.Arity()] {
		pairs = append(pairs, "$"+string("xyz"[i]), g.value(a, lane))
	}
	return strings.NewReplacer(pairs...).Replace(string(t))
}
