// Package shade is the graph behind the hillshade example: from elevations to the pixels of a shaded and tinted relief.
package shade

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels

// Zoom is the number of pixels between two grid points.
const Zoom = 8

// Ambient is the light on a slope that faces away from the sun.
const Ambient = 0.25

// The colours of the lowest and the highest ground: red, green, blue in [0,1].
var (
	low  = []float32{0.30, 0.48, 0.36}
	high = []float32{0.98, 0.93, 0.84}
)

// Relief compiles the program. Its inputs are float32: the elevations z [r,c] in metres, with r, c >= 4, and the
// scalars cell (metres between two grid points), lo and hi (the least and the greatest elevation). Its output is the
// picture, uint8 [3,(r-3)*Zoom,(c-3)*Zoom]: a plane each of red, green and blue. The sun is in the north-west, 45
// degrees high.
func Relief() (*graph.Program, error) {
	return relief(graph.Input("z", graph.Float32, graph.Dim("r"), graph.Dim("c")))
}

func relief(z graph.Node) (*graph.Program, error) {
	cell := graph.Input("cell", graph.Float32)
	lo, hi := graph.Input("lo", graph.Float32), graph.Input("hi", graph.Float32)

	light := enlarge(Light(z, cell))                                 // [(r-3)*Zoom,(c-3)*Zoom]
	height := enlarge(z.Slice("1:-1, 1:-1")).Sub(lo).Div(hi.Sub(lo)) // in [0,1]
	tint := graph.Lerp(planes(low), planes(high), height)            // [3,...]: one colour a plane
	pixels := tint.Mul(light.Mul(1-Ambient).Add(Ambient)).Clip(0, 1).Mul(255).Round().Cast(graph.Uint8)
	return graph.Compile(pixels, graph.WithName("hillshade"))
}

// Light returns how much of the sun's light each inner grid point gets: the
// cosine of the angle between the sun and the ground's normal, or 0. The
// gradients are Horn's (1981): differences of 3x3 weighted neighbours, which
// are slices of z shifted by one.
func Light(z, cell graph.Node) graph.Node {
	nw, n, ne := z.Slice(":-2, :-2"), z.Slice(":-2, 1:-1"), z.Slice(":-2, 2:")
	w, e := z.Slice("1:-1, :-2"), z.Slice("1:-1, 2:")
	sw, s, se := z.Slice("2:, :-2"), z.Slice("2:, 1:-1"), z.Slice("2:, 2:")

	scale := cell.Mul(8)
	east := ne.Add(e.Mul(2)).Add(se).Sub(nw.Add(w.Mul(2)).Add(sw)).Div(scale)
	south := sw.Add(s.Mul(2)).Add(se).Sub(nw.Add(n.Mul(2)).Add(ne)).Div(scale)

	// The normal is (-east, -south, 1) divided by its length; the sun is a vector with one element per axis, each
	// broadcast over the grid.
	sun := graph.Const(graph.Of(sunFrom(315, 45)))
	up := sun.Index(0, 2).Sub(east.Mul(sun.Index(0, 0))).Sub(south.Mul(sun.Index(0, 1)))
	length := east.Square().Add(south.Square()).Add(1).Sqrt()
	return up.Div(length).Maximum(0)
}

// sunFrom returns the direction of the sun as components east, south and up.
// Azimuth is in degrees from north through east, altitude in degrees.
func sunFrom(azimuth, altitude float64) []float32 {
	a, h := azimuth*math.Pi/180, altitude*math.Pi/180
	return []float32{float32(math.Sin(a) * math.Cos(h)), float32(-math.Cos(a) * math.Cos(h)), float32(math.Sin(h))}
}

// enlarge interpolates a grid [r,c] bilinearly to [(r-1)*Zoom,(c-1)*Zoom]. The four corners of each cell are slices
// with a new axis for the pixels of the cell, along which they repeat: strides of 0, no copies.
func enlarge(x graph.Node) graph.Node {
	weight := make([]float32, Zoom)
	for i := range weight {
		weight[i] = (float32(i) + 0.5) / Zoom
	}
	down := graph.Const(graph.Of(weight, 1, Zoom, 1, 1))
	right := graph.Const(graph.Of(weight, Zoom))
	corner := func(rows, cols string) graph.Node { return x.Slice(rows + ", None, " + cols + ", None") }

	top := graph.Lerp(corner(":-1", ":-1"), corner(":-1", "1:"), right)
	bottom := graph.Lerp(corner("1:", ":-1"), corner("1:", "1:"), right)
	cells := graph.Lerp(top, bottom, down) // [r-1,Zoom,c-1,Zoom]
	s := cells.Shape()
	return cells.Reshape(s[0].Mul(s[1]), s[2].Mul(s[3]))
}

// planes returns a colour as [3,1,1].
func planes(colour []float32) graph.Node { return graph.Const(graph.Of(colour, 3, 1, 1)) }

// Graphs returns the programs to generate kernels for: maps in row-major order and turned maps, whose views of columns
// have other loops.
func Graphs() ([]*graph.Program, error) {
	p, err := Relief()
	if err != nil {
		return nil, err
	}
	turned, err := relief(graph.Input("z", graph.Float32, graph.Dim("c"), graph.Dim("r")).T())
	return []*graph.Program{p, turned}, err
}
