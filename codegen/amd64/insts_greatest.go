package amd64

import "slices"

// greatestValues is the greatest number of values that greatest takes: all of them, for each vector of a step, are in registers
// at once. It is one more than the number of rows that column reductions combine at once.
const greatestValues = 5

// greatest returns Go's max of two or more values. Each value beyond the second takes three instructions, because NaN and the
// signs of zeros are handled at the end. The sign is that of the AND of all values: a zero maximum is negative only if all
// values are.
func (f float) greatest(g *graph, values []ref) ref {
	most, last := values[0], len(values)-1
	signs, nan := most, none
	for i, v := range values {
		if i > 0 {
			most = g.op("VMAX"+f.w, most, v)
		}
		if i > 0 && last > 1 {
			signs = g.op("VANDPS", signs, v)
		}
		if i%2 == 0 { // a comparison finds the NaN of two values
			more := g.imm("VCMP"+f.w, cmpUnord, v, values[min(i+1, last)])
			if nan != none {
				more = g.isa().logic(g, "VORPS", nan, more)
			}
			nan = more
		}
	}
	if last == 1 {
		return g.isa().setAll(g, g.op("VANDPS", most, g.op("VMAX"+f.w, values[1], values[0])), nan)
	}
	return g.isa().setAll(g, g.op("VANDPS", most, g.op("VORPS", signs, g.not(f.signBits(g)))), nan)
}

// values returns the values whose maximum is operand i of a max, if nothing else needs that maximum; otherwise the operand itself.
func (f float) values(g *graph, operands [3]ref, i int) []ref {
	x := operands[i]
	if !g.once[i] || !g.is(x, "VORPS") || !g.is(g.At(x).Arg[0], "VANDPS") {
		return []ref{x}
	}
	most := g.At(g.At(x).Arg[0]).Arg[0]
	var values []ref
	for ; g.is(most, "VMAX"+f.w); most = g.At(most).Arg[0] {
		values = append(values, g.At(most).Arg[1])
	}
	values = append(values, most)
	slices.Reverse(values)
	if len(values) > 1 && f.greatest(g, values) == x {
		return values
	}
	return []ref{x}
}
