// Heat finds where a plate is heated from temperatures that a few sensors measured. The temperature u of the plate
// obeys the heat equation with an unknown source s and edges at 0:
//
//	du/dt = conductivity * (d²u/dx² + d²u/dy²) + s(x,y)
//
// One graph takes the source through 80 time steps to the temperatures of 64 sensors, which are measured four times. The
// gradient of the squared errors with respect to all 1,024 cells of the source leads back through the same steps. The
// weight of smoothness is such that the mean squared error is about the variance of the noise.
//
// It draws heat.png: the source, the temperatures at the end with the sensors, and the source that was found.
//
//	go run ./examples/heat
package main

import (
	"context"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"

	"github.com/stridefuse/stridefuse/formats/imaging"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/optim"
)

const (
	side         = 32  // cells of the plate along each axis
	conductivity = 0.2 // cells² a step: explicit steps are stable up to 1/4
	steps        = 80
	every        = 20   // steps between measurements
	apart        = 4    // cells between sensors
	noise        = 0.02 // standard deviation of a measurement
	smoothness   = 50   // weight of the squared differences of neighbouring cells
	updates      = 400
)

func main() {
	picture, err := os.Create("heat.png")
	if err != nil {
		fmt.Fprintln(os.Stderr, "heat:", err)
		os.Exit(1)
	}
	defer picture.Close()
	if err := run(context.Background(), os.Stdout, picture); err != nil {
		fmt.Fprintln(os.Stderr, "heat:", err)
		os.Exit(1)
	}
}

// simulate returns the temperatures of the plate after each interval between measurements: [measurements,side,side].
// The plate begins at 0.
func simulate(source graph.Node) graph.Node {
	var measured []graph.Node
	u := source.Scalar(0).BroadcastTo(side, side)
	for step := 1; step <= steps; step++ {
		p := u.PadWith([]int{1, 1}, []int{1, 1}, 0) // the edges
		around := p.Slice("2:, 1:-1").Add(p.Slice(":-2, 1:-1")).Add(p.Slice("1:-1, 2:")).Add(p.Slice("1:-1, :-2"))
		u = u.Add(around.Sub(u.Mul(4)).Mul(conductivity)).Add(source)
		if step%every == 0 {
			measured = append(measured, u)
		}
	}
	return graph.Stack(0, measured...)
}

// sensors returns the temperatures where sensors are: [measurements,side/apart,side/apart].
func sensors(u graph.Node) graph.Node {
	return u.Slice(fmt.Sprintf(":, %d::%d, %d::%d", apart/2, apart, apart/2, apart))
}

// truth returns the source to find: two heaters.
func truth() graph.Node {
	y, x := graph.Iota(graph.Float64, side).Unsqueeze(1), graph.Iota(graph.Float64, side)
	heater := func(cy, cx, width, power float64) graph.Node {
		far := y.Sub(cy).Square().Add(x.Sub(cx).Square())
		return far.Mul(-1 / (2 * width * width)).Exp().Mul(power / (2 * math.Pi * width * width))
	}
	return heater(9, 10, 2.5, 3).Add(heater(21, 22, 3.5, 2))
}

func run(ctx context.Context, w, picture io.Writer) error {
	temperatures := simulate(truth())
	known, err := computed(ctx, sensors(temperatures), truth(), temperatures.Index(0, -1))
	if err != nil {
		return err
	}
	measured := graph.Const(known[0]).Add(graph.Normal(graph.Float64, 1, 0, noise, known[0].Shape()...))

	var params optim.Parameters
	source := params.Add("source", graph.Full(graph.Float64, -5, side, side)).Softplus() // greater than 0
	misfit := sensors(simulate(source)).Sub(measured).Div(noise).Square().Mean()
	rough := source.Diff(0, 1).SumSquares().Add(source.Diff(1, 1).SumSquares())
	fit, err := optim.New(optim.Adam{Rate: optim.Cosine(0.1, 10, updates)}, misfit.Add(rough.Mul(smoothness)), &params)
	if err != nil {
		return err
	}
	wrong := source.Sub(known[1]).Norm2().Div(graph.Const(known[1]).Norm2())
	judge, err := graph.Compile(misfit, wrong, source.Sum(), source)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "update  mean squared error/variance  error of the source  its power")
	var found []*graph.Tensor
	for update := range updates + 1 {
		if update%100 == 0 {
			if found, err = judge.RunAll(ctx, params.Tensors()...); err != nil {
				return err
			}
			fmt.Fprintf(w, "%6d  %27.3f  %18.1f%%  %9.3f\n", update, number(found[0]), 100*number(found[1]), number(found[2]))
		}
		if _, err := fit.Step(ctx); err != nil {
			return err
		}
	}
	return draw(ctx, picture, known[1], known[2], found[3])
}

// computed returns the values of graphs without inputs.
func computed(ctx context.Context, nodes ...graph.Node) ([]*graph.Tensor, error) {
	p, err := graph.Compile(graph.Nodes(nodes))
	if err != nil {
		return nil, err
	}
	return p.RunAll(ctx)
}

// number returns the element of a scalar, or NaN.
func number(t *graph.Tensor) float64 {
	v, err := graph.At[float64](t)
	if err != nil {
		return math.NaN()
	}
	return v
}

// scale is the side of a cell in the picture, in pixels.
const scale = 8

// draw writes a picture of the source, the temperatures at the end with points for the sensors, and the source found.
func draw(ctx context.Context, w io.Writer, truth, u, found *graph.Tensor) error {
	most, hottest := graph.Const(truth).Max(), graph.Const(u).Max()
	at := graph.Iota(graph.Int32, side*scale).Sub(apart/2*scale + scale/2 - 1).Mod(apart * scale).Le(1)
	points := at.And(at.Unsqueeze(1))
	cells := func(x *graph.Tensor, most graph.Node) graph.Node {
		return graph.Const(x).Div(most).Mul(3).Repeat(0, scale).Repeat(1, scale)
	}
	panels := []graph.Node{cells(truth, most), graph.Where(points, 3, cells(u, hottest)), cells(found, most)}
	for i, p := range panels {
		panels[i] = p.PadWith([]int{2, 2}, []int{2, 2}, 3)
	}
	row := graph.Concat(1, panels...).Unsqueeze(2)
	colours := row.Sub(graph.Iota(graph.Float64, 3)).Clip(0, 1).Mul(255).Round() // black, red, yellow, white
	picture, err := computed(ctx, colours.Cast(graph.Uint8))
	if err != nil {
		return err
	}
	img, err := imaging.Image(picture[0])
	if err != nil {
		return err
	}
	return png.Encode(w, img)
}
