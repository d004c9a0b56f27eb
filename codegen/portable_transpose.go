package codegen

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// transposeLoop is the loop that a kernel that transposes equals.
const transposeLoop = "for i, j: o0[i][j] = a0[j][i]"

// transpose writes the function of a kernel that transposes. It reads eight rows of
// the input side by side, each along its cache lines: no more lines are in use than
// a cache has ways, even if the rows are a power of two apart.
func (w *portable) transpose(k *kernel.Kernel) {
	name, d := Symbol(k)+"_go", k.In[0].DType
	w.printf("%s", docComment(name, k))
	w.printf("func %s(f *abi.Frame) {\n", name)
	w.printf("next, across, line := f.Step[0], f.Step[kernel.TransposeAcross], f.Step[1]\nc := 0\n")
	w.printf("for ; c+8 <= f.Cols; c += 8 {\nfrom, to := unsafe.Add(f.Ptr[0], c*next), unsafe.Add(f.Ptr[1], c*%d)\n", d.Size())
	w.printf("for r := range f.Rows {\na, o := unsafe.Add(from, r*across), (*[8]%s)(unsafe.Add(to, r*line))\n", d)
	for i := range 8 {
		w.printf("o[%d] = *(*%s)(unsafe.Add(a, %[1]d*next))\n", i, d)
	}
	w.printf("}\n}\nfor ; c < f.Cols; c++ {\nfrom, to := unsafe.Add(f.Ptr[0], c*next), unsafe.Add(f.Ptr[1], c*%d)\n", d.Size())
	w.printf("for r := range f.Rows {\n*(*%s)(unsafe.Add(to, r*line)) = *(*%[1]s)(unsafe.Add(from, r*across))\n}\n}\n}\n\n", d)
}
