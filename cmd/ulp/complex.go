package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/ir"
)

// Functions of complex numbers. An error is the distance of a result from the exact one, in units of the last place of
// the exact magnitude. Where the documentation of package cmplx promises accurate parts, each part is also measured in
// units of its own last place. Samples have numbers of any magnitude, on the axes and near branch cuts, the unit circle
// and poles, and operands whose products cancel. Neighbours of the worst follow.

// complexFunction is one that is measured.
type complexFunction struct {
	name  string
	node  func(z, w cmplx.Node) cmplx.Node
	most  [2]float64 // a part of z beyond it is folded back, because the function is infinite or constant there
	parts bool       // each part is promised to be accurate
	exact *oracle.Complex
}

var complexFunctions = []complexFunction{
	{name: "mul", node: func(z, w cmplx.Node) cmplx.Node { return z.Mul(w) }},
	{name: "div", node: func(z, w cmplx.Node) cmplx.Node { return z.Div(w) }, parts: true},
	{name: "abs", node: func(z, _ cmplx.Node) cmplx.Node { return asComplex(z.Abs()) }, parts: true},
	{name: "arg", node: func(z, _ cmplx.Node) cmplx.Node { return asComplex(z.Arg()) }, parts: true},
	{name: "exp", node: func(z, _ cmplx.Node) cmplx.Node { return z.Exp() }, most: [2]float64{0: mostGrowing}, parts: true},
	{name: "log", node: func(z, _ cmplx.Node) cmplx.Node { return z.Log() }},
	{name: "sqrt", node: func(z, _ cmplx.Node) cmplx.Node { return z.Sqrt() }, parts: true},
	{name: "pow", node: func(z, w cmplx.Node) cmplx.Node { return z.Pow(w) }},
	{name: "sin", node: func(z, _ cmplx.Node) cmplx.Node { return z.Sin() }, most: [2]float64{1: mostGrowing}, parts: true},
	{name: "cos", node: func(z, _ cmplx.Node) cmplx.Node { return z.Cos() }, most: [2]float64{1: mostGrowing}, parts: true},
	{name: "tan", node: func(z, _ cmplx.Node) cmplx.Node { return z.Tan() }, most: [2]float64{1: mostGrowing}, parts: true},
	{name: "tanh", node: func(z, _ cmplx.Node) cmplx.Node { return z.Tanh() }, most: [2]float64{0: mostGrowing}, parts: true},
}

const mostGrowing = 1500

func init() {
	for i := range complexFunctions {
		f := &complexFunctions[i]
		exact, ok := oracle.LookupComplex(f.name)
		if !ok {
			panic("BUG: no reference of " + f.name)
		}
		f.exact = exact
	}
}

// asComplex converts a real result to a complex one.
func asComplex(x graph.Node) cmplx.Node { return cmplx.Make(x, x.Scalar(0)) }

// operands are the arguments of one evaluation.
type operands struct{ z, w complex128 }

// run computes a function of elements of a type.
func (f *complexFunction) run(ctx context.Context, dt ir.DType, at []operands) ([]complex128, error) {
	n := graph.Dim("n")
	z, w := cmplx.Input("z", graph.Float64, n), cmplx.Input("w", graph.Float64, n)
	to := func(dt ir.DType) func(graph.Node) graph.Node {
		return func(x graph.Node) graph.Node { return x.Cast(dt) }
	}
	inputs := []*graph.Tensor{nil, nil}[:f.exact.Arity]
	zs, ws := make([]complex128, len(at)), make([]complex128, len(at))
	for i, a := range at {
		zs[i], ws[i] = a.z, a.w
	}
	inputs[0] = cmplx.Of(zs)
	if f.exact.Arity == 2 {
		inputs[1] = cmplx.Of(ws)
	}
	p, err := graph.Compile(f.node(z.View(to(dt)), w.View(to(dt))).View(to(graph.Float64)).Interleaved())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	out, err := p.Run(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	return cmplx.Data[complex128](out)
}

// complexRow is a line of the table: the greatest errors of a function, and their arguments.
type complexRow struct {
	name             string
	dtype            ir.DType
	magnitude, parts float64 // parts is 0 if nothing is promised for parts
	at, partsAt      operands
	tried            int
}

// measureComplex tries the given points, n random ones, and some generations of neighbours of the worst.
func (f *complexFunction) measure(ctx context.Context, dt ir.DType, points []operands, n, generations int) (complexRow, error) {
	const parents, children = 64, 32
	type tried struct {
		at    operands
		worst float64
	}
	row := complexRow{name: f.name, dtype: dt}
	var o oracle.Oracle
	var all []tried
	try := func(at []operands) error {
		out, err := f.run(ctx, dt, at)
		if err != nil {
			return err
		}
		for i, got := range out {
			magnitude, parts := o.Complex(f.exact, at[i].z, at[i].w).ULPs(formats[dt], got)
			if magnitude > row.magnitude {
				row.magnitude, row.at = magnitude, at[i]
			}
			if !f.parts {
				parts = 0
			}
			if parts > row.parts {
				row.parts, row.partsAt = parts, at[i]
			}
			all = append(all, tried{at[i], max(magnitude, parts)})
		}
		row.tried += len(at)
		return nil
	}
	r := rand.New(rand.NewPCG(uint64(len(f.name)), uint64(dt)))
	if err := try(append(f.inDomain(dt, points...), f.sample(r, dt, n)...)); err != nil {
		return row, err
	}
	for range generations {
		slices.SortStableFunc(all, func(a, b tried) int { return cmp.Compare(b.worst, a.worst) })
		all = all[:min(parents, len(all))]
		var next []operands
		for _, a := range all {
			for range children {
				next = append(next, f.inDomain(dt, operands{besideComplex(r, dt, a.at.z), besideComplex(r, dt, a.at.w)})...)
			}
		}
		if err := try(next); err != nil {
			return row, err
		}
	}
	row.magnitude, row.parts = roundedUp(row.magnitude), roundedUp(row.parts)
	return row, nil
}

// besideComplex changes one part or both, or none.
func besideComplex(r *rand.Rand, dt ir.DType, z complex128) complex128 {
	x, y := real(z), imag(z)
	which := r.IntN(4)
	if which&1 > 0 {
		x = beside(r, dt, x)
	}
	if which&2 > 0 {
		y = beside(r, dt, y)
	}
	return complex(x, y)
}

// sample draws operands.
func (f *complexFunction) sample(r *rand.Rand, dt ir.DType, n int) (out []operands) {
	for len(out) < n {
		z, w := complexNumber(r, dt), complexNumber(r, dt)
		if f.exact.Arity == 2 && r.IntN(3) == 0 { // a product or quotient that cancels
			w = complex(real(w), real(w)*(real(z)/imag(z)))
			if r.IntN(2) == 0 {
				w = complex(-imag(w), real(w))
			}
			w = besideComplex(r, dt, roundComplex(dt, w))
		}
		if f.name == "pow" {
			w = complex(values(-10, 10)(r, dt), values(-10, 10)(r, dt))
		}
		out = append(out, f.inDomain(dt, operands{z, w})...)
	}
	return out[:n]
}

func roundComplex(dt ir.DType, z complex128) complex128 {
	return complex(fromBits(dt, toBits(dt, real(z))), fromBits(dt, toBits(dt, imag(z))))
}

// inDomain returns operands as elements of a type. ok is false where the function has a pole, is not finite, or
// promises nothing.
func (f *complexFunction) inDomain(dt ir.DType, list ...operands) (out []operands) {
	for _, a := range list {
		if a, ok := f.fit(dt, a); ok {
			out = append(out, a)
		}
	}
	return out
}

func (f *complexFunction) fit(dt ir.DType, a operands) (operands, bool) {
	z, w := roundComplex(dt, a.z), roundComplex(dt, a.w)
	z = roundComplex(dt, complex(folded(real(z), f.most[0]), folded(imag(z), f.most[1])))
	for _, x := range []float64{real(z), imag(z), real(w), imag(w)} {
		if x-x != 0 {
			return a, false
		}
	}
	if z == 0 && f.name != "mul" && f.name != "div" || w == 0 && f.name == "div" {
		return a, false
	}
	if f.name == "mul" && math.Hypot(real(z), imag(z))*math.Hypot(real(w), imag(w)) > math.Ldexp(0.5, formats[dt].Most) {
		return a, false // a product of parts may overflow
	}
	if f.name == "pow" {
		if l := math.Hypot(math.Log(math.Hypot(real(z), imag(z))), math.Pi) * math.Hypot(real(w), imag(w)); !(l < mostPow) {
			return a, false
		}
	}
	if f.exact.Arity == 1 {
		w = 0
	}
	return operands{z, w}, true
}

// mostPow bounds |w log z|; the error of a power grows with it.
const mostPow = 100

func folded(x, most float64) float64 {
	if most > 0 && math.Abs(x) > most {
		return math.Mod(x, most)
	}
	return x
}

// complexNumber draws one.
func complexNumber(r *rand.Rand, dt ir.DType) complex128 {
	small, wide, any := values(-4, 4), values(-800, 800), stratum(anything)
	angle := multiples(math.Pi/2, 1<<20)
	least := fromOrdinal(dt, 1)
	var x, y float64
	switch r.IntN(9) {
	case 0:
		x, y = small(r, dt), small(r, dt)
	case 1:
		x, y = any(r, dt), any(r, dt)
	case 2: // the unit circle
		y, x = math.Sincos(values(-math.Pi, math.Pi)(r, dt))
		x, y = fromOrdinal(dt, ordinal(dt, x)+r.Int64N(3)-1), fromOrdinal(dt, ordinal(dt, y)+r.Int64N(3)-1)
	case 3: // an axis, or a branch cut and its other side
		x, y = any(r, dt), math.Copysign([]float64{0, least, 1e-30}[r.IntN(3)], small(r, dt))
	case 4:
		x, y = subnormal(r, dt), subnormal(r, dt)
	case 5:
		x, y = wide(r, dt), angle(r, dt)
	case 6: // beside 1
		x, y = around(1)(r, dt), bits(least, 0.1)(r, dt)
	case 7: // beside poles of the tangent
		x, y = angle(r, dt), bits(least, 1)(r, dt)
	case 8: // parts of different magnitudes
		x = any(r, dt)
		y = math.Ldexp(x, r.IntN(60)-30)
	}
	if r.IntN(2) == 0 {
		x, y = y, x
	}
	if r.IntN(2) == 0 {
		x = -x
	}
	return roundComplex(dt, complex(x, y))
}
