package codegen

import (
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// scan writes the function of a kernel that scans.
func (w *portable) scan(k *ir.Kernel) {
	name, d := Symbol(k)+"_go", k.In[0].DType
	step := string(portableOps[k.Fold[0].Info().By](d, d))
	step = strings.NewReplacer("$T", d.String(), "runtime.", w.runtime, "$x", "run", "$y", "a0[i]").Replace(step)
	w.printf("%s", docComment(name, k))
	w.printf("func %s(f *%sFrame) {\nn := f.Cols\nif n <= 0 {\nreturn\n}\n", name, w.runtime)
	w.printf("for r := range f.Rows {\n")
	w.printf("a0 := unsafe.Slice(%s, n)\no0 := unsafe.Slice(%s, n)\n", address(d, 0), address(d, 1))
	w.printf("run := a0[0]\no0[0] = run\n")
	w.printf("for i := 1; i < n; i++ {\nrun = %s\no0[i] = run\n}\n}\n}\n\n", step)
}
