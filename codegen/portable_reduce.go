package codegen

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Combined outputs in Go loops. Short bodies whose outputs are all combined compute the lanes in groups, each in registers, so they
// read a row once for each group. Other bodies have the lanes in memory:
// l2 holds the lanes of output 2, each of which starts as the identity of the combiner. For an
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

// accumulate combines a value of output o with the lane of its element. block is the name of the element in a block, or empty.
func (g *goKernel) accumulate(o int, copy, element, block string) {
	if g.combiner(o).IsArgReduction() {
		g.printf("if %s {\nm%d, l%[2]d = %s, int32(%s)\n}\n", g.precedes(o, copy), o, copy, element)
		return
	}
	if g.width == laneGroup {
		lane := "rest" + itoa(o) + "[i-from]"
		if block != "" {
			lane = "l" + itoa(o) + block
		}
		g.printf("%s = %s\n", lane, g.combined(o, lane, copy))
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

// laneGroup is the number of lanes of a group.
const laneGroup = 8

// inGroups reports whether the lanes are computed in groups.
func (g *goKernel) inGroups() bool {
	return g.combine != nil && g.sideBySide && g.operations() < longBody &&
		!slices.ContainsFunc(g.combine, func(by ir.Op) bool { return by == ir.OpInvalid || by.IsArgReduction() })
}

// groups writes the loops of a row whose lanes are computed in groups. l2 has the groups of output 2 in memory, and l2a, l2b, ...
// are the lanes of the present one. The order of the groups is that in which the tree combines them: lanes 24 to 31 with 8 to
// 15, 16 to 23 with 0 to 7, then both results.
func (g *goKernel) groups() {
	g.width, g.fma = laneGroup, mendsFMA
	lanes := g.laneNames()
	all := func(o int) string { // the lanes of an output
		names := make([]string, len(lanes))
		for i, lane := range lanes {
			names[i] = "l" + itoa(o) + lane
		}
		return strings.Join(names, ", ")
	}
	for o, r := range g.k.Out {
		g.printf("var l%d [%d]%s\n", o, ir.ReduceLanes, g.k.DType(r))
	}
	g.printf("for _, g := range [...]int{24, 8, 16, 0} {\n")
	for o, r := range g.k.Out {
		d := g.k.DType(r)
		identity, _ := g.combiner(o).Info().Identity(d)
		text, _, _ := strings.Cut(goConst(d, identity), " //")
		g.printf("e%d := %s\n%s := %s\n", o, text, all(o), strings.TrimSuffix(strings.Repeat("e"+itoa(o)+", ", laneGroup), ", "))
	}
	g.printf("i := g\nfor ; i+%d <= n; i += %d {\n", laneGroup, ir.ReduceLanes)
	g.block()
	g.printf("}\nif i < n {\nfrom := i\n")
	for o, r := range g.k.Out {
		g.printf("rest%d := [...]%s{%s}\n", o, g.k.DType(r), all(o))
	}
	g.printf("for ; i < n; i++ {\n")
	g.element()
	g.printf("}\n")
	for o := range g.k.Out {
		g.printf("%s = %s\n", all(o), g.elements("rest"+itoa(o)))
	}
	g.printf("}\nif g < 16 {\n")
	with := func(from string) {
		for o, r := range g.k.Out {
			g.printf("half%[1]d := (*[%[2]d]%[3]s)(l%[1]d[%[4]s:])\n", o, laneGroup, g.k.DType(r), from)
		}
		for o := range g.k.Out {
			for i, lane := range lanes {
				name := "l" + itoa(o) + lane
				g.printf("%s = %s\n", name, g.combined(o, name, "half"+itoa(o)+"["+itoa(i)+"]"))
			}
		}
	}
	with("g+16")
	g.printf("}\nif g > 0 {\n")
	for o, r := range g.k.Out {
		g.printf("*(*[%d]%s)(l%d[g:]) = [...]%[2]s{%[4]s}\n", laneGroup, g.k.DType(r), o, all(o))
	}
	g.printf("continue\n}\n")
	with("8")
	for o, r := range g.k.Out {
		for n := laneGroup / 2; n > 0; n /= 2 {
			for i := range n {
				x := "l" + itoa(o) + lanes[i]
				g.printf("%s = %s\n", x, g.combined(o, x, "l"+itoa(o)+lanes[i+n]))
			}
		}
		g.printf("*%s = l%da\n", address(g.k.DType(r), len(g.k.In)+o), o)
	}
	g.printf("}\n")
}

// elements lists elements of an array, as many as a group has lanes.
func (g *goKernel) elements(array string) string {
	parts := make([]string, laneGroup)
	for i := range parts {
		parts[i] = array + "[" + itoa(i) + "]"
	}
	return strings.Join(parts, ", ")
}
