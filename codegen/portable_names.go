package codegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The names of values, constants and types in the Go text of a kernel.

// value names a value; lane distinguishes the copies of elements side by side.
func (g *goKernel) value(r kernel.Ref, lane string) string {
	in := g.k.Inst(r)
	switch {
	case in == nil && g.k.In[r].Splat:
		return fmt.Sprintf("s%d", r)
	case in == nil:
		return fmt.Sprintf("v%d%s", r, lane)
	case in.Op == ir.OpConst:
		return g.constantOf(r)
	case !g.varies[r]:
		lane = ""
	}
	return fmt.Sprintf("t%d%s", int(r)-len(g.k.In), lane)
}

// constantOf names the constant of an instruction.
func (g *goKernel) constantOf(r kernel.Ref) string { return fmt.Sprintf("c%d", int(r)-len(g.k.In)) }

// constants declares the constants of the body.
func (g *goKernel) constants() {
	for j, in := range g.k.Body {
		name := g.constantOf(kernel.Ref(len(g.k.In) + j))
		switch in.Op {
		case ir.OpConst:
			g.printf("%s := %s\n", name, goConst(in.DType, in.Bits))
		case ir.OpTable:
			g.printf("%s := %s\n", name, goTable(in.Bits))
		}
	}
}

// goTable returns the Go expression of a table.
func goTable(name uint64) string {
	entries, _ := ir.Table(name)
	var text []string
	for _, v := range entries {
		text = append(text, strconv.FormatFloat(float64(v), 'x', -1, 32))
	}
	return fmt.Sprintf("[...]float32{%s}", strings.Join(text, ", "))
}

// goConst returns the Go expression of a constant, with its value as a comment if that is not obvious.
func goConst(d ir.DType, bits uint64) string {
	text := elementText(d, bits)
	switch {
	case isBits(d):
		return fmt.Sprintf("%s(%#x) // %s", goType(d), bits&(1<<(8*d.Size())-1), text)
	case ir.Floats.Has(d):
		return fmt.Sprintf("math.Float%dfrombits(%#x) // %s", 8*d.Size(), bits, text)
	}
	return fmt.Sprintf("%s(%s)", goType(d), text)
}

// goType returns the Go type of an element. A type that Go does not have is represented by
// its bits; only conversions interpret them.
func goType(d ir.DType) string {
	if isBits(d) {
		d = kernel.BitsType(d)
	}
	return d.String()
}

// isBits reports whether a type does not exist in Go.
func isBits(d ir.DType) bool { return (ir.Reals | ir.Stored).Has(d) && !d.Native() }

// used reports whether an instruction or a store reads r. An expansion may not use an operand.
func (g *goKernel) used(r kernel.Ref) bool {
	for _, in := range g.k.Body {
		if slices.Contains(in.Args[:in.Arity()], r) {
			return true
		}
	}
	return slices.Contains(g.k.Out, r)
}

// usedGroup reports whether an instruction or a store reads an operand or another member of its group.
func (g *goKernel) usedGroup(i int) bool {
	c := g.k.In[i].Member
	first := kernel.Ref(i - int(c.At))
	for r := range kernel.Ref(max(1, c.Of)) {
		if g.used(first + r) {
			return true
		}
	}
	return false
}

// units lists the unit operands that are read.
func (g *goKernel) units() []int {
	var at []int
	for i, in := range g.k.In {
		if !in.Splat && g.used(kernel.Ref(i)) {
			at = append(at, i)
		}
	}
	return at
}

// across names the copies of a value in all lanes.
func (g *goKernel) across(r kernel.Ref, lanes []string) string {
	names := make([]string, len(lanes))
	for i, lane := range lanes {
		names[i] = g.value(r, lane)
	}
	return strings.Join(names, ", ")
}

// indices lists the elements of the block of an operand.
func (g *goKernel) indices(slice string, c kernel.Member) string {
	var parts []string
	for i := range g.width {
		parts = append(parts, fmt.Sprintf("%s[%d]", slice, i*max(1, int(c.Of))+int(c.At)))
	}
	return strings.Join(parts, ", ")
}

// rowOf is the row of an operand, or of its group.
type rowOf struct {
	name   string
	member kernel.Member
}

// input returns the row of a unit input, and output that of an output.
func (g *goKernel) input(i int) rowOf {
	c := g.k.In[i].Member
	return rowOf{fmt.Sprintf("a%d", i-int(c.At)), c}
}

func (g *goKernel) output(i int) rowOf {
	c := g.k.OutMemberOf(i)
	return rowOf{fmt.Sprintf("o%d", i-int(c.At)), c}
}

// index returns the index in the row of a column.
func (o rowOf) index(column string) string {
	if o.member.Of == 0 {
		return column
	}
	return fmt.Sprintf("%d*%s", o.member.Of, column)
}

// at returns the element at a column.
func (o rowOf) at(column string) string {
	if o.member.At > 0 {
		return fmt.Sprintf("%s[%s+%d]", o.name, o.index(column), o.member.At)
	}
	return fmt.Sprintf("%s[%s]", o.name, o.index(column))
}

// block returns the elements at columns i, i+1, ...
func (o rowOf) block(columns int) string {
	from, n := o.index("i"), columns*max(1, int(o.member.Of))
	return fmt.Sprintf("%s[%s : %[2]s+%d : %[2]s+%[3]d]", o.name, from, n)
}
