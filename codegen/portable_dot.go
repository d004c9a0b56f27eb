package codegen

import (
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// dotLanes is how many columns of a product are computed side by side: as many
// chains of dependent operations as keep a machine busy, and few enough that
// their sums stay in registers.
const dotLanes = 4

// dotLoop returns the loops that a kernel of a product equals, on one line.
func dotLoop(k *ir.Kernel) string {
	step := "sum += a0[m][k] * a1[k][n]"
	if ir.Floats.Has(k.In[0].DType) {
		step = "sum = fma(a0[m][k], a1[k][n], sum)"
	}
	return "for m, n: { sum := 0; for k: " + step + "; o0[m][n] = sum, or += sum }"
}

// dot writes the function of a dot kernel.
func (w *portable) dot(k *ir.Kernel) {
	name, d := Symbol(k)+"_go", k.In[0].DType
	w.printf("%s", docComment(name, k))
	w.printf("func %s(f *%sFrame) {\nn, pairs, across := f.Cols, f.Step[ir.DotPairs], f.Step[ir.DotAcross]\n", name, w.runtime)
	w.printf("if n <= 0 {\nreturn\n}\nfor r := range f.Rows {\n")
	w.printf("o0 := unsafe.Slice(%s, n)\nc := 0\n", address(d, 2))
	w.printf("for ; c+%d <= n; c += %[1]d {\n", dotLanes)
	w.dotColumns(d, dotLanes)
	w.printf("}\nfor ; c < n; c++ {\n")
	w.dotColumns(d, 1)
	w.printf("}\n}\n}\n\n")
}

// dotColumns computes the elements of a row in columns c, c+1, ...
func (w *portable) dotColumns(d ir.DType, lanes int) {
	template := portableOps[ir.OpFMA](d, d)
	if !ir.Floats.Has(d) {
		template = "$z + $x*$y"
	}
	each := func(text string) string {
		parts := make([]string, lanes)
		for i := range parts {
			parts[i] = strings.ReplaceAll(text, "#", itoa(i))
		}
		return strings.Join(parts, ", ")
	}
	sum := strings.NewReplacer("$x", "x", "$y", "row[#]", "$z", "t#").Replace(string(template))
	w.printf("var %s %s\n", each("t#"), d)
	w.printf("a, b := unsafe.Add(f.Ptr[0], r*f.Step[0]), unsafe.Add(f.Ptr[1], c*%d)\n", d.Size())
	w.printf("for k := range pairs {\nx, row := *(*%s)(unsafe.Add(a, k*across)), (*[%d]%[1]s)(unsafe.Add(b, k*f.Step[1]))\n", d, lanes)
	w.printf("%s = %s\n}\n", each("t#"), each(sum))
	w.printf("y := o0[c : c+%d : c+%[1]d]\n", lanes)
	add := string(portableOps[ir.OpAdd](d, d))
	add = strings.NewReplacer("$T", d.String(), "$x", "y[#]", "$y", "t#").Replace(add)
	w.printf("if f.Step[ir.DotAdds] != 0 {\n%s = %s\n}\n", each("t#"), each(add))
	w.printf("%s = %s\n", each("y[#]"), each("t#"))
}
