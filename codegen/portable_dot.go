package codegen

import (
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// dotLanes is the number of columns of a product that are computed side by side: enough chains of dependent operations to
// keep a processor busy, and few enough for their sums to stay in registers.
const dotLanes = 4

// dotLoop returns the loops that a kernel of a product equals, on one line.
func dotLoop(m *kernel.Micro) string {
	step := "sum += a0[m][k] * a1[k][n]"
	switch {
	case m.Kind == kernel.DotHalves:
		step = "sum += mulhalves(a0[m][k], a1[k][n])"
	case m.Kind == kernel.DotWindows:
		step = "sum = fma(a0[m][k], a1[tap k + n], sum)"
	case m.Kind == kernel.DotLeftWindows:
		step = "sum = fma(a0[window m + tap k], a1[k][n], sum)"
	case ir.Floats.Has(m.Type):
		step = "sum = fma(a0[m][k], a1[k][n], sum)"
	}
	if m.Kind == kernel.DotBatch {
		return "for r: for m, n: { sum := 0; for k: " + step + "; o0[m][n] = sum }, of matrices r"
	}
	return "for m, n: { sum := 0; for k: " + step + "; o0[m][n] = sum, or += sum }"
}

// ofWindows reports whether an operand of a product is windows.
func ofWindows(m *kernel.Micro) bool {
	return m.Kind == kernel.DotWindows || m.Kind == kernel.DotLeftWindows
}

// dot writes the function of a product.
func (w *portable) dot(m *kernel.Micro) error {
	d := m.Type
	w.begin(m)
	if m.Kind == kernel.DotBatch {
		w.dotBatch(m)
		return nil
	}
	w.printf("n, across, pairs, adds := f.Cols, %s, %s, %s\n", field(m, 0), field(m, 1), field(m, 2))
	if ofWindows(m) {
		f := func(i int) string { return field(m, i) }
		w.printf("runs, taps, skipRuns, skipTaps := %s, %s, %s, %s\n", f(kernel.DotRuns), f(kernel.DotTaps), f(kernel.DotSkipRuns), f(kernel.DotSkipTaps))
		w.printf("runStep, tapStep := %s*%d, %s*%[2]d\n", f(kernel.DotRunStep), d.Size(), f(kernel.DotTapStep))
	}
	w.printf("if n <= 0 {\nreturn\n}\nfor r := range f.Rows {\n")
	w.printf("o0 := unsafe.Slice(%s, n)\n", address(d, 2))
	if m.Kind == kernel.DotLeftWindows {
		w.printf("window := (r/%s*%s + r%%%[1]s*across) * %[3]d\n", field(m, kernel.DotLine), field(m, kernel.DotLineStep), d.Size())
	}
	w.dotRow(m)
	w.printf("}\n}\n\n")
	return nil
}

// dotBatch completes the function of products of small matrices.
func (w *portable) dotBatch(m *kernel.Micro) {
	f := func(i int) string { return field(m, i) }
	w.printf("n, pairs := %s, %s\n", f(kernel.DotBatchCols), f(kernel.DotBatchPairs))
	w.printf("rowStep, across, down := %[1]s*%[4]d, %[2]s*%[4]d, %[3]s*%[4]d\n", f(kernel.DotBatchLeftRow), f(kernel.DotBatchLeftPair), f(kernel.DotBatchRightRow), m.Type.Size())
	w.printf("for r := range f.Rows {\nproduct := unsafe.Slice(%s, f.Cols)\nfor row := range f.Cols / n {\no0 := product[row*n:][:n]\n", address(m.Type, 2))
	w.dotRow(m)
	w.printf("}\n}\n}\n\n")
}

// dotRow computes a row, o0.
func (w *portable) dotRow(m *kernel.Micro) {
	w.printf("c := 0\nfor ; c+%d <= n; c += %[1]d {\n", dotLanes)
	w.dotColumns(m, dotLanes)
	w.printf("}\nfor ; c < n; c++ {\n")
	w.dotColumns(m, 1)
	w.printf("}\n")
}

// dotColumns computes the elements of a row in columns c, c+1, ...
func (w *portable) dotColumns(m *kernel.Micro, lanes int) {
	d := m.Type
	each := func(text, between string) string {
		parts := make([]string, lanes)
		for i := range parts {
			parts[i] = strings.ReplaceAll(text, "#", itoa(i))
		}
		return strings.Join(parts, between)
	}
	sums := each("t#", ", ")
	w.printf("var %s %s\n", sums, d)
	left, right, from, at, channel := "r*f.Step[0]", "", "k*across", "k*f.Step[1]", "f.Step[1]"
	switch m.Kind {
	case kernel.DotWindows:
		at = "at"
	case kernel.DotLeftWindows:
		left, from, channel = "window", "at", "f.Step[0]"
	case kernel.DotBatch:
		left, right, at = "r*f.Step[0]+row*rowStep", "r*f.Step[1]+", "k*down"
	}
	w.printf("a, b := unsafe.Add(f.Ptr[0], %s), unsafe.Add(f.Ptr[1], %sc*%d)\n", left, right, d.Size())
	if ofWindows(m) {
		w.printf("at, run, tap := skipRuns*runStep+skipTaps*tapStep, runs-skipRuns, taps-skipTaps\n")
	}
	w.printf("for k := range pairs {\nx, row := *(*%s)(unsafe.Add(a, %[4]s)), (*[%[2]d]%[1]s)(unsafe.Add(b, %[3]s))\n", d, lanes, at, from)
	switch {
	case m.Kind == kernel.DotHalves:
		w.printf("%s = %s\n", sums, each("t# + "+mulHalves("x", "row[#]"), ", "))
	case d == ir.Float32: // FMA32 in all lanes at once
		w.printf("%s := %s\n", each("s#", ", "), each("float64(x)*float64(row[#]) + float64(t#)", ", "))
		w.printf("if %s {\n%s = %s\n", each("scalar.Doubtful32(s#)", " || "), sums, each("scalar.FMA32(x, row[#], t#)", ", "))
		w.printf("} else {\n%s = %s\n}\n", sums, each("float32(s#)", ", "))
	case d == ir.Float64:
		w.printf("%s = %s\n", sums, each("math.FMA(x, row[#], t#)", ", "))
	default:
		w.printf("%s = %s\n", sums, each("t# + x*row[#]", ", "))
	}
	if ofWindows(m) {
		w.printf("at += tapStep\nif tap--; tap == 0 {\nat, tap = at+runStep-taps*tapStep, taps\n")
		w.printf("if run--; run == 0 {\nat, run = at+%s-runs*runStep, runs\n}\n}\n", channel)
	}
	w.printf("}\ny := o0[c : c+%d : c+%[1]d]\n", lanes)
	if m.Kind != kernel.DotBatch {
		w.printf("if adds != 0 {\n%s = %s\n}\n", sums, each(d.String()+"(y[#] + t#)", ", "))
	}
	w.printf("%s = %s\n", each("y[#]", ", "), sums)
}
