package codegen

import (
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// scan writes the function of a kernel that scans: see ir.ScanKernel.
func (w *portable) scan(k *kernel.Kernel) {
	name, d, by, n := Symbol(k)+"_go", k.In[0].DType, k.Fold[0].Info().By, len(k.In)
	step := func(d ir.DType, x, y string) string {
		return strings.NewReplacer("$T", d.String(), "$x", x, "$y", y).Replace(string(portableOps[by](d, d)))
	}
	w.printf("%s", docComment(name, k))
	w.printf("func %s(f *abi.Frame) {\nn := f.Cols\nif n <= 0 {\nreturn\n}\n", name)
	w.printf("for r := range f.Rows {\n")
	w.printf("a0 := unsafe.Slice(%s, n)\no0 := unsafe.Slice(%s, n)\n", address(d, 0), address(d, n))
	w.printf("run := *%s\n", address(d, 1))
	result := "run"
	if n > 2 {
		wide := k.In[2].DType
		w.printf("carry := *%s\n", address(wide, 2))
		result = step(d, convert(wide, d, "carry"), "run")
	}
	w.printf("for i, x := range a0 {\nrun = %s\no0[i] = %s\n}\n", step(d, "run", "x"), result)
	w.printf("*%s = run\n", address(d, n+1))
	if n > 2 {
		wide := k.In[2].DType
		w.printf("*%s = %s\n", address(wide, n+2), step(wide, "carry", convert(d, wide, "run")))
	}
	w.printf("}\n}\n\n")
}

// convert returns the text of a value as another type.
func convert(from, to ir.DType, v string) string {
	if from == to {
		return v
	}
	return to.String() + "(" + v + ")"
}
