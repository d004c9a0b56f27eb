package codegen

import (
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Folded outputs in Go loops: l2 holds the lanes of output 2, each the identity
// until its first element.

// lanes makes the lanes of the folded outputs.
func (g *goKernel) lanes() {
	for o, r := range g.k.Out {
		by, d := g.k.FoldOf(o), g.k.DType(r)
		if by == ir.OpInvalid {
			continue
		}
		identity, _ := by.Info().Identity(d)
		g.printf("var l%d [%d]%s\n", o, ir.FoldLanes, d)
		if identity != 0 {
			text, _, _ := strings.Cut(goConst(d, identity), " //")
			g.printf("for b := range l%d {\nl%[1]d[b] = %s\n}\n", o, text)
		}
	}
}

// take folds a copy of output o's value into the lane of its element.
func (g *goKernel) take(o int, copy, element string) {
	lane := "l" + itoa(o) + "[" + element + "&" + itoa(ir.FoldLanes-1) + "]"
	g.printf("%s = %s\n", lane, g.folded(o, lane, copy))
}

// folded is the Go of one step of a fold.
func (g *goKernel) folded(o int, x, y string) string {
	d := g.k.DType(g.k.Out[o])
	t := portableOps[g.k.FoldOf(o)](d, d)
	return strings.NewReplacer("$T", d.String(), "runtime.", g.runtime, "$x", x, "$y", y).Replace(string(t))
}

// halve folds the lanes of each folded output into the first, which it stores.
func (g *goKernel) halve() {
	for o, r := range g.k.Out {
		if g.k.FoldOf(o) == ir.OpInvalid {
			continue
		}
		l := "l" + itoa(o)
		g.printf("for half := %d; half > 0; half /= 2 {\nif half < n {\nfor b := range half {\n", ir.FoldLanes/2)
		g.printf("%s[b] = %s\n}\n}\n}\n", l, g.folded(o, l+"[b]", l+"[b+half]"))
		g.printf("*%s = %s[0]\n", address(g.k.DType(r), len(g.k.In)+o), l)
	}
}
