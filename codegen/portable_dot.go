package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/scalar"
)

// Products in Go loops. The right operand is converted scalar.DotCols columns at a time into w, an array of the type of the sums; the
// tiles of rows times these columns are computed by functions of package scalar.

// dotLoop returns the loops that a kernel of a product equals, on one line.
func dotLoop(m *kernel.Micro) string {
	step := "sum += a0[m][k] * a1[k][n]"
	switch {
	case m.Kind == kernel.DotHalves:
		step = "sum += mulhalves(a0[m][k], a1[k][n])"
	case m.Kind == kernel.DotBytes:
		step = "sum += mulhalves(a0[m][k], halves(a1[k][n]))"
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

// goDot writes the function of a product.
type goDot struct {
	*portable
	m *kernel.Micro
}

// dot writes the function of a product.
func (w *portable) dot(m *kernel.Micro) error {
	g := &goDot{portable: w, m: m}
	f := func(i int) string { return field(m, i) }
	w.begin(m)
	w.printf("var w [%d][scalar.DotCols]%s\nvar taps [%[1]d]int\n", ir.DotChunk, g.sum())
	if m.Kind == kernel.DotBatch {
		w.printf("n, pairs, across := %s, %s, %s*%d\nif n <= 0 {\nreturn\n}\n", f(kernel.DotBatchCols), f(kernel.DotBatchPairs), f(kernel.DotBatchLeftPair), m.Type.Size())
		w.printf("rows, down, leftStep, outStep := f.Cols/n, %[1]s*%[3]d, %[2]s*%[3]d, n*%[3]d\n", f(kernel.DotBatchRightRow), f(kernel.DotBatchLeftRow), m.Type.Size())
		w.printf("for k := range pairs {\ntaps[k] = k*across\n}\n")
		w.printf("for r := range f.Rows {\nleft, right, out := unsafe.Add(f.Ptr[0], r*f.Step[0]), unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[2], r*f.Step[2])\n")
		g.columns("k*down")
		w.printf("}\n}\n\n")
		return nil
	}
	w.printf("rows, n, pairs, adds := f.Rows, f.Cols, %s, %s\n", f(kernel.DotPairs), f(kernel.DotAdds))
	w.printf("left, right, out, outStep := f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Step[2]\n")
	right := "k*f.Step[1]"
	switch m.Kind {
	case kernel.DotLeftWindows:
		w.printf("line, lineStep, step := %[1]s, %[2]s*%[4]d, %[3]s*%[4]d\n", f(kernel.DotLine), f(kernel.DotLineStep), f(kernel.DotAcross), m.Type.Size())
		g.windows("taps", "f.Step[0]")
	case kernel.DotWindows:
		w.printf("var windows [%d]int\n", ir.DotChunk)
		g.windows("windows", "f.Step[1]")
		right = "windows[k]"
		fallthrough
	default:
		w.printf("across, leftStep := %s, f.Step[0]\nfor k := range pairs {\ntaps[k] = k*across\n}\n", f(kernel.DotAcross))
	}
	g.columns(right)
	w.printf("}\n\n")
	return nil
}

// sum returns the Go type of the sums in registers.
func (g *goDot) sum() string {
	if g.m.Type == ir.Float32 {
		return "scalar.Sum32"
	}
	return g.m.Type.String()
}

// windows computes the offset of each pair from the beginning of a window.
func (g *goDot) windows(to, channel string) {
	f := func(i int) string { return field(g.m, i) }
	g.printf("runs, ofRun, run, tap, from := %s, %s, %s, %s, 0\n", f(kernel.DotRuns), f(kernel.DotTaps), f(kernel.DotSkipRuns), f(kernel.DotSkipTaps))
	g.printf("for k := range pairs {\n%s[k] = from + (run*%s+tap*%s)*%d\n", to, f(kernel.DotRunStep), f(kernel.DotTapStep), g.m.Type.Size())
	g.printf("if tap++; tap == ofRun {\ntap = 0\nif run++; run == runs {\nrun, from = 0, from+%s\n}\n}\n}\n", channel)
}

// row returns the Go expression of a left row.
func (g *goDot) row(r string) string {
	if g.m.Kind == kernel.DotLeftWindows {
		return "unsafe.Add(left, " + r + "/line*lineStep+" + r + "%line*step)"
	}
	return "unsafe.Add(left, " + r + "*leftStep)"
}

// columns writes the loop over the tiles. right is the offset of row k of the right operand, in bytes.
func (g *goDot) columns(right string) {
	d, single, from, convert := g.m.Type, g.m.Type == ir.Float32, g.m.Type, g.sum()
	if g.m.Kind == kernel.DotBytes {
		from, convert = ir.Int16, "scalar.Halves"
	}
	if single { // the search takes as long as it saves for three columns
		g.printf("leastLeft := uint32(0)\nif !scalar.Fused32 && rows > 1 {\nleastLeft = scalar.Tame32\nfor r := range rows {\nrow := %s\n", g.row("r"))
		g.printf("for _, at := range taps[:pairs] {\nleastLeft = min(leastLeft, scalar.Magnitude32(*(*float32)(unsafe.Add(row, at))))\n}\n}\n}\n")
	}
	g.printf("for c := 0; c < n; c += scalar.DotCols {\nwidth := min(scalar.DotCols, n-c)\n")
	if single {
		g.printf("least := uint32(scalar.Tame32)\n")
	}
	g.printf("for k := range w[:pairs] {\nfrom := unsafe.Slice((*%s)(unsafe.Add(right, %s+c*%d)), width)\n", from, right, from.Size())
	g.printf("if to := &w[k]; width == scalar.DotCols {\nfrom := (*[scalar.DotCols]%s)(from)\n", from)
	for j := range scalar.DotCols {
		g.printf("to[%d] = %s(from[%[1]d])\n", j, convert)
	}
	g.printf("} else {\n*to = [scalar.DotCols]%s{}\nfor j, y := range from {\nto[j] = %s(y)\n}\n}\n", g.sum(), convert)
	if single {
		g.printf("if !scalar.Fused32 && rows > 1 {\nfor _, y := range from {\nleast = min(least, scalar.Magnitude32(y))\n}\n}\n")
	}
	g.printf("}\n")
	if single {
		g.printf("var sums [scalar.DotRows32][scalar.DotCols]float32\nvar x [scalar.DotRows32]unsafe.Pointer\ntame := scalar.AreTame32(leastLeft, least)\n")
		g.printf("for r := 0; r < rows; r += scalar.DotRows32 {\nfor i := range x {\nr := min(r+i, rows-1)\nx[i] = %s\n}\n", g.row("r"))
		g.printf("scalar.Dot32(&sums, &x, taps[:pairs], w[:pairs], tame)\n")
		g.printf("for i := range sums[:min(scalar.DotRows32, rows-r)] {\n")
		g.store("sums[i]", "r+i")
		g.printf("}\n}\n}\n")
		return
	}
	tile := "DotInts"
	switch {
	case g.m.Kind == kernel.DotHalves || g.m.Kind == kernel.DotBytes:
		tile = "DotHalves"
	case d == ir.Float64:
		tile = "Dot64"
	}
	g.printf("var sums [scalar.DotCols]%s\nfor r := range rows {\nscalar.%s(&sums, %s, taps[:pairs], w[:pairs])\n", d, tile, g.row("r"))
	g.store("sums", "r")
	g.printf("}\n}\n")
}

// store writes the sums of a row of a tile to row r of the output, or adds them to it.
func (g *goDot) store(sums, r string) {
	d := g.m.Type
	g.printf("o := unsafe.Slice((*%s)(unsafe.Add(out, (%s)*outStep+c*%d)), width)\n", d, r, d.Size())
	if g.m.Kind != kernel.DotBatch {
		g.printf("if adds != 0 {\nfor j := range o {\no[j] = %s(o[j] + %s[j])\n}\ncontinue\n}\n", d, sums)
	}
	g.printf("copy(o, %s[:])\n", sums)
}
