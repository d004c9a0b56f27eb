// Classify recognizes handwritten digits with a small convolutional network in the ONNX format. train.py made the
// network and the test digits, on which the network was not trained.
//
// It prints how many digits are recognized, and the first ones with their scores. It draws these as classify.png: each
// digit, and a bar for each of the ten classes.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"image/png"
	"io"
	"os"
	"strings"

	"github.com/stridefuse/stridefuse/formats/imaging"
	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/onnx"
	"github.com/stridefuse/stridefuse/graph"
)

var (
	//go:embed digits.onnx
	model []byte
	//go:embed digits.npy
	digitFile string
	//go:embed labels.npy
	labelFile string
)

func main() {
	picture, err := os.Create("classify.png")
	if err != nil {
		panic(err)
	}
	defer picture.Close()
	if err := run(os.Stdout, picture); err != nil {
		panic(err)
	}
}

// Every apart-th digit is printed and drawn, up to a limit.
const (
	shown = 8
	apart = 25
)

func run(out, picture io.Writer) error {
	digits, err := npy.Read(strings.NewReader(digitFile)) // uint8[n,8,8], 0 to 16
	if err != nil {
		return err
	}
	labels, err := npy.Read(strings.NewReader(labelFile)) // uint8[n]
	if err != nil {
		return err
	}
	network, err := onnx.Parse(model)
	if err != nil {
		return err
	}
	ctx := context.Background()
	pixels, err := computed(ctx, graph.Const(digits).Cast(graph.Float32).Unsqueeze(1))
	if err != nil {
		return err
	}
	outs, err := network.Run(ctx, graph.Feeds{"image": pixels})
	if err != nil {
		return err
	}
	scores := outs["probability"] // float32[n,10]
	read, err := computed(ctx, graph.Const(scores).ArgMax(-1).Cast(graph.Uint8))
	if err != nil {
		return err
	}
	right, err := computed(ctx, graph.Const(read).Eq(labels).Cast(graph.Int64).Sum())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s of %d digits are read right\n", elements(right), labels.Size())
	for i := 0; i < shown*apart; i += apart {
		fmt.Fprintf(out, "digit %s is read as %s, with scores %s\n", elements(labels.Index(0, i)), elements(read.Index(0, i)), percent(scores.Index(0, i)))
	}
	return draw(ctx, picture, digits.SliceAxis(0, 0, shown*apart, apart), scores.SliceAxis(0, 0, shown*apart, apart))
}

// computed returns the value of a graph without inputs.
func computed(ctx context.Context, x graph.Node) (*graph.Tensor, error) {
	p, err := graph.Compile(x)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx)
}

// elements returns the number in a tensor of one element.
func elements(t *graph.Tensor) string {
	v, err := t.At()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(v)
}

// percent formats the scores that are not 0 %.
func percent(scores *graph.Tensor) string {
	all, err := graph.All[float32](scores)
	if err != nil {
		return err.Error()
	}
	var text []string
	class := 0
	for s := range all {
		if s >= 0.005 {
			text = append(text, fmt.Sprintf("%d: %.0f%%", class, 100*s))
		}
		class++
	}
	return strings.Join(text, ", ")
}

// Sizes in the picture, in pixels.
const (
	scale  = 10 // side of a digit's pixel
	margin = 10 // margin around a digit
	bar    = 10 // height of a class: a bar and a gap below it
	width  = 90 // width of a full bar
	across = 4  // digits in a row
)

// draw writes a picture of digits, each with the bars of its scores, class 0 at the top.
func draw(ctx context.Context, w io.Writer, digits, scores *graph.Tensor) error {
	x := graph.Const(digits).Cast(graph.Int32).Mul(-15).Add(255).Repeat(1, scale).Repeat(2, scale)
	x = x.PadWith([]int{0, margin, margin}, []int{0, margin, margin}, 255)

	columns := graph.Iota(graph.Int32, width).Cast(graph.Float32)
	dark := columns.Add(0.5).Lt(graph.Const(scores).Unsqueeze(2, 3).Mul(width)) // bool[n,10,1,width]
	bars := graph.Where(dark, 40, graph.Fill(graph.Int32, 230)).Repeat(2, bar-2)
	bars = bars.PadWith([]int{0, 0, 0, 0}, []int{0, 0, 2, margin}, 255).Reshape(shown, 10*bar, -1)

	cells := graph.Concat(2, x, bars) // [n, rows, columns]
	grid := cells.Reshape(-1, across, cells.Shape()[1:]).SwapAxes(1, 2).Reshape(shown/across*(8*scale+2*margin), -1)
	picture, err := computed(ctx, grid.Cast(graph.Uint8))
	if err != nil {
		return err
	}
	img, err := imaging.Image(picture)
	if err != nil {
		return err
	}
	return png.Encode(w, img)
}
