package recipes_test

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"os"

	"github.com/stridefuse/stridefuse/formats/imaging"
	"github.com/stridefuse/stridefuse/graph"
)

// A picture blurred by a kernel of 5 by 5, and its edges: the magnitudes of the brightness gradient.
func Example_blur() {
	img := picture("../hillshade.png")
	pixels, err := imaging.Pixels(img) // uint8[h,w,4]: a view of the image
	check(err)

	h, w := graph.Dim("h"), graph.Dim("w")
	x := graph.Input("x", graph.Uint8, h, w, 4)
	weights := graph.Const(graph.Of([]float32{1. / 16, 4. / 16, 6. / 16, 4. / 16, 1. / 16}))
	padded := x.Cast(graph.Float32).Pad([]int{2, 2, 0}, []int{2, 2, 0}, graph.PadEdge)
	rows := padded.Window(1, 5, 1, 1).Mul(weights).Sum(-1).Materialize() // once, not for each row of the kernel
	blurred := rows.Window(0, 5, 1, 1).Mul(weights).Sum(-1).Round().Cast(graph.Uint8)

	grey := x.Slice("..., :3").Cast(graph.Float32).Mean(-1)
	across := grey.Slice("1:-1, 2:").Sub(grey.Slice("1:-1, :-2"))
	down := grey.Slice("2:, 1:-1").Sub(grey.Slice(":-2, 1:-1"))
	edges := across.Hypot(down).Minimum(255).Cast(graph.Uint8)

	p, err := graph.Compile(blurred, edges)
	check(err)
	outs, err := p.RunAll(context.Background(), pixels)
	check(err)
	for _, out := range outs {
		result, err := imaging.Image(out)
		check(err)
		middle := result.Bounds().Dx() / 2
		fmt.Printf("%T %v %v\n", result, result.Bounds(), result.At(middle, middle/2))
	}
	// Output:
	// *image.NRGBA (0,0)-(672,464) {153 170 144 255}
	// *image.Gray (0,0)-(670,462) {1}
}

// picture reads a PNG file.
func picture(name string) *image.RGBA {
	file, err := os.Open(name)
	check(err)
	defer file.Close()
	decoded, err := png.Decode(file)
	check(err)
	img, ok := decoded.(*image.RGBA)
	if !ok {
		panic(fmt.Sprintf("%s is a %T", name, decoded))
	}
	return img
}
