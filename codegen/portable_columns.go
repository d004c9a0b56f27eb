package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// reduceColumns writes the function of a column reduction, in blocks of kernel.ColumnBlock
// columns. The last block ends at the last column, so it may compute columns a second time.
func (w *portable) reduceColumns(m *kernel.Micro) error {
	k := m.Body
	d := k.In[0].DType
	g := &goKernel{portable: w, k: k, combine: []ir.Op{m.Op}, main: kernel.Split(k), varies: make([]bool, len(k.In)+len(k.Body))}
	for i := range g.varies {
		g.varies[i] = true
	}
	w.begin(m)
	w.printf("var l [%d][%d]%s\nn := %s\n", ir.ReduceLanes, kernel.ColumnBlock, d, field(m, 0))
	w.printf("for r := range f.Rows {\nfor from := 0; from < f.Cols; from += %d {\nc := min(from, f.Cols-%[1]d)\n", kernel.ColumnBlock)
	w.printf("for i := range n {\nlane := &l[i%%%d]\n", ir.ReduceLanes)
	for i, in := range k.In {
		if in.Splat {
			w.printf("s%d := *(*%s)(unsafe.Add(f.Ptr[%[1]d], r*f.Step[%[1]d]+i*%[3]d))\n", i, d, d.Size())
		} else {
			w.printf("a%d := (*[%d]%s)(unsafe.Add(f.Ptr[%[1]d], i*f.Step[%[1]d]+c*%[4]d))\n", i, kernel.ColumnBlock, d, d.Size())
		}
	}
	columns := func(next string) {
		w.printf("for j := range lane {\n")
		for _, i := range g.units() {
			w.printf("v%d := a%[1]d[j]\n", i)
		}
		g.region(g.main, []string{""})
		w.printf("lane[j] = %s\n}\n", next)
	}
	v := g.value(k.Out[0], "")
	w.printf("if i < %d {\n", ir.ReduceLanes)
	columns(v)
	w.printf("continue\n}\n")
	columns(g.combined(0, "lane[j]", v))
	w.printf("}\n")
	w.printf("for half := %d; half > 0; half /= 2 {\nfor b := half; b < min(n, 2*half); b++ {\n", ir.ReduceLanes/2)
	w.printf("for j := range l[b] {\nl[b-half][j] = %s\n}\n}\n}\n", g.combined(0, "l[b-half][j]", "l[b][j]"))
	w.printf("*(*[%d]%s)(unsafe.Add(f.Ptr[%d], r*f.Step[%[3]d]+c*%[4]d)) = l[0]\n}\n}\n}\n\n", kernel.ColumnBlock, d, len(k.In), d.Size())
	return nil
}
