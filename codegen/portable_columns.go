package codegen

import (
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// reduceColumns writes the function of a column reduction, in blocks of kernel.ColumnBlock
// columns. The last block ends at the last column, so it may compute columns a second time. A lane, the rows that are ir.ReduceLanes
// apart, is added up in registers for a part of the columns, or column by column where code should be short. The lanes are computed in the
// order in which the tree combines them, as by groups.
func (w *portable) reduceColumns(m *kernel.Micro) error {
	k := m.Body
	d := k.In[0].DType
	g := &goKernel{portable: w, k: k, combine: []ir.Op{m.Op}, main: kernel.Split(k), varies: make([]bool, len(k.In)+len(k.Body))}
	for i := range g.varies {
		g.varies[i] = true
	}
	part, lanes := 1, []string{""}
	if w.sideBySide {
		g.fma, g.width = mendsFMA, laneGroup
		part, lanes = laneGroup, g.laneNames()
	}
	// each writes a list of the columns of a part; # is the number of the column, and @ the end of its names.
	each := func(text string) string {
		parts := make([]string, part)
		for i := range parts {
			parts[i] = strings.NewReplacer("#", itoa(i), "@", lanes[i]).Replace(text)
		}
		return strings.Join(parts, ", ")
	}
	w.begin(m)
	w.printf("var l [%d][%d]%s\nn := %s\n", ir.ReduceLanes, kernel.ColumnBlock, d, field(m, 0))
	w.printf("for r := range f.Rows {\nfor from := 0; from < f.Cols; from += %d {\nc := min(from, f.Cols-%[1]d)\n", kernel.ColumnBlock)
	w.printf("for _, first := range [...]int{24, 8, 16, 0} {\nfor b := first; b < min(n, first+8); b++ {\nfor j := 0; j < %[2]d; j += %[3]d {\nto := (*[%[3]d]%[4]s)(l[b][j:])\n", ir.ReduceLanes, kernel.ColumnBlock, part, d)
	w.printf("var %s %s\nfor i := b; i < n; i += %d {\n", each("x@"), d, ir.ReduceLanes)
	for i, in := range k.In {
		if in.Splat {
			w.printf("s%d := *(*%s)(unsafe.Add(f.Ptr[%[1]d], r*f.Step[%[1]d]+i*%[3]d))\n", i, d, d.Size())
		} else {
			w.printf("a%d := (*[%d]%s)(unsafe.Add(f.Ptr[%[1]d], i*f.Step[%[1]d]+(c+j)*%[4]d))\n", i, part, d, d.Size())
			w.printf("%s := %s\n", each(fmt.Sprintf("v%d@", i)), each(fmt.Sprintf("a%d[#]", i)))
		}
	}
	g.region(g.main, lanes)
	var first []string
	for _, lane := range lanes {
		first = append(first, g.value(k.Out[0], lane))
	}
	w.printf("if i < %d {\n%s = %s\ncontinue\n}\n", ir.ReduceLanes, each("x@"), strings.Join(first, ", "))
	for i, lane := range lanes {
		w.printf("x%s = %s\n", lane, g.combined(0, "x"+lane, first[i]))
	}
	w.printf("}\n")
	for _, half := range []int{ir.ReduceLanes / 2, ir.ReduceLanes / 4} {
		w.printf("if b < %d && b+%[1]d < n {\nhalf := (*[%d]%s)(l[b+%[1]d][j:])\n", half, part, d)
		for i, lane := range lanes {
			w.printf("x%s = %s\n", lane, g.combined(0, "x"+lane, "half["+itoa(i)+"]"))
		}
		w.printf("}\n")
	}
	w.printf("*to = [...]%s{%s}\n}\n}\n}\n", d, each("x@"))
	w.printf("for half := %d; half > 0; half /= 2 {\nfor b := half; b < min(n, 2*half); b++ {\n", ir.ReduceLanes/8)
	w.printf("for j := range l[b] {\nl[b-half][j] = %s\n}\n}\n}\n", g.combined(0, "l[b-half][j]", "l[b][j]"))
	w.printf("*(*[%d]%s)(unsafe.Add(f.Ptr[%d], r*f.Step[%[3]d]+c*%[4]d)) = l[0]\n}\n}\n}\n\n", kernel.ColumnBlock, d, len(k.In), d.Size())
	return nil
}
