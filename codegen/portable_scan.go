package codegen

import (
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// scan writes the function of a prefix scan of rows.
func (w *portable) scan(m *kernel.Micro) error {
	d, by, n, state, wide := m.Type, m.Op, len(m.Args())/2, ir.RunType(m.Op, m.Type), ir.PartialType(m.Op, m.Type)
	step := func(d ir.DType, x, y string) string {
		return strings.NewReplacer("$T", d.String(), "$x", x, "$y", y).Replace(string(portableOps[by](d, d)))
	}
	w.begin(m)
	w.printf("n := f.Cols\nif n <= 0 {\nreturn\n}\n")
	w.printf("for r := range f.Rows {\n")
	w.printf("a0 := unsafe.Slice(%s, n)\no0 := unsafe.Slice(%s, n)\n", address(d, 0), address(d, n))
	w.printf("run := *%s\n", address(state, 1))
	result := convert(state, d, "run")
	if m.Carry {
		w.printf("carry := *%s\nbefore := %s\n", address(wide, 2), convert(wide, d, "carry"))
		result = step(d, "before", "run")
	}
	w.printf("for i, x := range a0 {\nrun = %s\no0[i] = %s\n}\n", step(state, "run", convert(d, state, "x")), result)
	w.printf("*%s = run\n", address(state, n+1))
	if m.Carry {
		w.printf("*%s = %s\n", address(wide, n+2), step(wide, "carry", convert(d, wide, "run")))
	}
	w.printf("}\n}\n\n")
	return nil
}

// convert returns the text of a value as another type.
func convert(from, to ir.DType, v string) string {
	if from == to {
		return v
	}
	return to.String() + "(" + v + ")"
}
