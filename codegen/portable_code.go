package codegen

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// portableMicros has the function that writes each kind of micro-kernel. The written functions are named by Symbol and _go.
var portableMicros = map[kernel.MicroKind]func(w *portable, m *kernel.Micro) error{
	kernel.Pack:           (*portable).pack,
	kernel.Transpose:      (*portable).transpose,
	kernel.Insert:         (*portable).insert,
	kernel.Lookup:         (*portable).lookup,
	kernel.StoreNT:        (*portable).storeNT,
	kernel.Prefetch:       (*portable).prefetch,
	kernel.Dot:            (*portable).dot,
	kernel.DotHalves:      (*portable).dot,
	kernel.DotBytes:       (*portable).dot,
	kernel.DotWindows:     (*portable).dot,
	kernel.DotLeftWindows: (*portable).dot,
	kernel.DotBatch:       (*portable).dot,
	kernel.ScanRows:       (*portable).scan,
	kernel.Reduce:         (*portable).reduce,
	kernel.ReduceColumns:  (*portable).reduceColumns,
}

// microLoops has the loop of each micro-kernel.
var microLoops = map[kernel.MicroKind]func(*kernel.Micro) string{
	kernel.Pack:           func(*kernel.Micro) string { return "for r, c: o0[r][c] = a0[r][c*across]" },
	kernel.Transpose:      func(*kernel.Micro) string { return "for i, j: o0[i][j] = a0[j][i]" },
	kernel.Insert:         func(*kernel.Micro) string { return "for r, c: o0[r][c] = a1[r][c], or a0[r] where c == place" },
	kernel.Lookup:         func(*kernel.Micro) string { return "for r, c: o0[r][c*across_out] = a0[r][a1[r][c*across]]" },
	kernel.StoreNT:        func(*kernel.Micro) string { return "for i: o0[i] = a0[i], past the caches" },
	kernel.Prefetch:       func(*kernel.Micro) string { return "reads ahead a0[next:][:cols]" },
	kernel.Dot:            dotLoop,
	kernel.DotHalves:      dotLoop,
	kernel.DotBytes:       dotLoop,
	kernel.DotWindows:     dotLoop,
	kernel.DotLeftWindows: dotLoop,
	kernel.DotBatch:       dotLoop,
	kernel.ScanRows:       scanLoop,
	kernel.Reduce: func(m *kernel.Micro) string {
		return bodyLoop(m.Body, rowNames, func(i int, value string) string {
			if m.Combine[i] == ir.OpInvalid {
				return fmt.Sprintf("o%d[i] = %s", i, value)
			}
			return combineText(m.Combine[i], fmt.Sprintf("o%d", i), value)
		})
	},
	kernel.ReduceColumns: func(m *kernel.Micro) string {
		return bodyLoop(m.Body, columnNames, func(_ int, value string) string { return combineText(m.Op, "o0[r][c]", value) })
	},
}

// code writes the function of a canonical kernel or micro-kernel.
func (w *portable) code(c kernel.Code) error {
	switch c := c.(type) {
	case *kernel.Kernel:
		return w.rows(c, c, nil)
	case *kernel.Micro:
		return portableMicros[c.Kind](w, c)
	}
	panic(fmt.Sprintf("BUG: codegen: a %T is no kernel", c))
}

// begin writes the head of a function.
func (w *portable) begin(c kernel.Code) {
	name := Symbol(c) + "_go"
	w.printf("%sfunc %s(f *abi.Frame) {\n", docComment(name, c), name)
}

// field returns the Go expression of field i of a kernel.
func field(c kernel.Code, i int) string { return "f.Step[" + itoa(c.FieldAt(i)) + "]" }

// reduce writes the function of a kernel that reduces rows.
func (w *portable) reduce(m *kernel.Micro) error { return w.rows(m, m.Body, m.Combine) }

// rows writes the function of a kernel that computes a body row by row. combine has
// the combiner of each output, and is nil if all are stored.
func (w *portable) rows(c kernel.Code, body *kernel.Kernel, combine []ir.Op) error {
	e := elementary.Expand(body)
	g := &goKernel{portable: w, k: e, combine: combine, varies: kernel.Varying(e), main: kernel.Split(e)}
	for _, in := range e.Body {
		if _, ok := portableOps[in.Op]; !ok && in.Op != ir.OpConst {
			return fmt.Errorf("%s: the portable engine has no row for %s", body, in.Op)
		}
	}
	w.begin(c)
	w.printf("n := f.Cols\n")
	if combine != nil {
		w.printf("if n <= 0 {\nreturn\n}\n")
	}
	g.constants()
	w.printf("for r := range f.Rows {\n")
	g.operands()
	g.uniform()
	if g.inGroups() {
		g.groups()
	} else {
		g.lanes()
		g.loop()
		g.storeCombined()
	}
	w.printf("}\n}\n\n")
	return nil
}

// loop writes the loop over the columns.
func (g *goKernel) loop() {
	long, adds := g.sideBySide && g.operations() >= longBody, g.multipliesAndAdds()
	g.width = sideBySide
	if adds {
		g.width = sideBySideFMA
	}
	switch {
	case !long:
		if g.sideBySide {
			g.fma = mendsFMA
		}
		g.printf("for i := range n {\n")
		g.element()
	case adds:
		g.printf("i := 0\nfor i < n {\nif i+%[1]d <= n {\n", g.width)
		g.fma = leavesFMA
		g.block()
		g.fma = callsFMA
		g.printf("i += %d\ncontinue\n}\n%s:\n", g.width, exactLabel)
		g.element()
		g.printf("i++\n")
	default:
		g.printf("i := 0\nfor ; i+%[1]d <= n; i += %[1]d {\n", g.width)
		g.block()
		g.printf("}\nfor ; i < n; i++ {\n")
		g.element()
	}
	g.printf("}\n")
	g.fma = callsFMA
}
