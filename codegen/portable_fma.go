package codegen

import (
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/scalar"
)

// Multiply-add of float32 in Go loops. Calls of scalar.FMA32 would be most of the time of a function, so the loops use
// scalar.MulAdd32, which the Go compiler inlines, and call FMA32 for the few sums that are doubtful.

// fmaForm is a way of writing float32 FMA.
type fmaForm int

const (
	callsFMA  fmaForm = iota // calls FMA32: exact, and short
	mendsFMA                 // replaces a doubtful sum by that of FMA32
	leavesFMA                // jumps to exactLabel, which computes the element again
)

// exactLabel is where blocks with a doubtful sum go.
const exactLabel = "exact"

// multipliesAndAdds reports whether an element takes float32 FMA that can be written by MulAdd32.
func (g *goKernel) multipliesAndAdds() bool {
	for j := range g.k.Body {
		in := &g.k.Body[j]
		if in.Op == ir.OpFMA && in.DType == ir.Float32 && g.varies[len(g.k.In)+j] && g.fusible(in) {
			return true
		}
	}
	return false
}

// fusible reports whether Go may select one instruction for an FMA. It writes products with 2 as sums, and rounds
// products of constants.
func (g *goKernel) fusible(in *kernel.Inst) bool {
	x, y := g.k.Inst(in.Args[0]), g.k.Inst(in.Args[1])
	isConst := func(i *kernel.Inst) bool { return i != nil && i.Op == ir.OpConst }
	isTwo := func(i *kernel.Inst) bool { return isConst(i) && math.Float32frombits(uint32(i.Bits)) == 2 }
	return !isTwo(x) && !isTwo(y) && !(isConst(x) && isConst(y))
}

// mulAdd writes a float32 FMA by MulAdd32, once a lane.
func (g *goKernel) mulAdd(r kernel.Ref, lanes []string) {
	in := g.k.Inst(r)
	z := g.k.Inst(in.Args[2])
	large := z != nil && z.Op == ir.OpConst && math.Abs(float64(math.Float32frombits(uint32(z.Bits)))) >= scalar.LeastAddend32
	sums, calls, rounded := make([]string, len(lanes)), make([]string, len(lanes)), make([]string, len(lanes))
	for i, lane := range lanes {
		sums[i] = "s" + g.value(r, lane)
		calls[i] = g.fill("scalar.MulAdd32($x, $y, $z)", r, lane)
		rounded[i] = "float32(" + sums[i] + ")"
	}
	g.printf("%s := %s\n", strings.Join(sums, ", "), strings.Join(calls, ", "))
	if g.fma == mendsFMA {
		g.printf("%s := %s\n", g.across(r, lanes), strings.Join(rounded, ", "))
	}
	for i, lane := range lanes {
		do := "goto " + exactLabel
		if g.fma == mendsFMA {
			do = g.fill("$t = scalar.FMA32($x, $y, $z)", r, lane)
		}
		// One test an if statement: a bool that several make is a value, and takes instructions.
		g.printf("if scalar.Tied32(%s) {\nif %s {\n%s\n}\n}\n", sums[i], g.fill(template("scalar.Inexact32("+sums[i]+", scalar.Sum32($x), scalar.Sum32($y), scalar.Sum32($z))"), r, lane), do)
		if !large {
			g.printf("if scalar.Tiny32(%s) {\n%s\n}\n", sums[i], do)
		}
	}
	if g.fma == leavesFMA {
		g.printf("%s := %s\n", g.across(r, lanes), strings.Join(rounded, ", "))
	}
}
