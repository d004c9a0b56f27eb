package codegen

import (
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Combined outputs in Go loops. l2 holds the lanes of output 2, each of which starts as the identity of the combiner. For an
// arg-reduction m2 is the best element so far, and l2 its index.

// lanes declares the lanes of the combined outputs.
func (g *goKernel) lanes() {
	for o, r := range g.k.Out {
		by, d := g.combiner(o), g.k.DType(r)
		if by == ir.OpInvalid {
			continue
		}
		if by.IsArgReduction() {
			identity, _ := by.Info().By.Info().Identity(d)
			text, _, _ := strings.Cut(goConst(d, identity), " //")
			g.printf("m%d, l%[1]d := %s, int32(0)\n", o, text)
			continue
		}
		identity, _ := by.Info().Identity(d)
		g.printf("var l%d [%d]%s\n", o, ir.ReduceLanes, d)
		if identity != 0 {
			text, _, _ := strings.Cut(goConst(d, identity), " //")
			g.printf("for b := range l%d {\nl%[1]d[b] = %s\n}\n", o, text)
		}
	}
}

// accumulate combines a value of output o with the lane of its element.
func (g *goKernel) accumulate(o int, copy, element string) {
	if g.combiner(o).IsArgReduction() {
		g.printf("if %s {\nm%d, l%[2]d = %s, int32(%s)\n}\n", g.precedes(o, copy), o, copy, element)
		return
	}
	lane := "l" + itoa(o) + "[" + element + "&" + itoa(ir.ReduceLanes-1) + "]"
	g.printf("%s = %s\n", lane, g.combined(o, lane, copy))
}

// precedes returns the condition that x replaces the best element so far: x is less (or greater), or it is the first NaN.
func (g *goKernel) precedes(o int, x string) string {
	sign, not := ">", "<="
	if g.combiner(o).Info().By == ir.OpMin {
		sign, not = "<", ">="
	}
	if ir.Floats.Has(g.k.DType(g.k.Out[o])) {
		return strings.NewReplacer("$x", x, "$m", "m"+itoa(o), "$s", not).Replace("!($x $s $m) && $m == $m")
	}
	return x + " " + sign + " m" + itoa(o)
}

// combined returns the Go expression that combines x and y.
func (g *goKernel) combined(o int, x, y string) string {
	d := g.k.DType(g.k.Out[o])
	t := portableOps[g.combiner(o)](d, d)
	return strings.NewReplacer("$T", d.String(), "$x", x, "$y", y).Replace(string(t))
}

// storeCombined combines the lanes of each combined output, the upper half with the lower half until one is left, and
// stores it.
func (g *goKernel) storeCombined() {
	for o, r := range g.k.Out {
		if g.combiner(o) == ir.OpInvalid {
			continue
		}
		l := "l" + itoa(o)
		if g.combiner(o).IsArgReduction() {
			g.printf("*%s = %s\n", address(ir.Int32, len(g.k.In)+o), l)
			continue
		}
		g.printf("for half := %d; half > 0; half /= 2 {\nif half < n {\nfor b := range half {\n", ir.ReduceLanes/2)
		g.printf("%s[b] = %s\n}\n}\n}\n", l, g.combined(o, l+"[b]", l+"[b+half]"))
		g.printf("*%s = %s[0]\n", address(g.k.DType(r), len(g.k.In)+o), l)
	}
}
