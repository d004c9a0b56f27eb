// Hillshade draws a shaded relief of a grid of elevations. It prints what the compiler made of the graph and writes the
// picture as PNG.
//
//	go run ./examples/hillshade
//	go run ./examples/hillshade -in grid.csv -cell 30 -out relief.png
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"

	"github.com/stridefuse/stridefuse/examples/hillshade/shade"
	"github.com/stridefuse/stridefuse/examples/internal/table"
	"github.com/stridefuse/stridefuse/graph"
)

//go:embed volcano.csv
var volcano []byte // Maunga Whau, Auckland: 87 x 61 points 10 m apart

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hillshade:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("hillshade", flag.ContinueOnError)
	in := flags.String("in", "", "a CSV `file` of elevations in metres, a line per row (default: Maunga Whau)")
	cell := flags.Float64("cell", 10, "metres between two points")
	out := flags.String("out", "hillshade.png", "the picture's `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: a grid is given as -in %s", flags.Arg(0), flags.Arg(0))
	}
	if !(*cell > 0) || math.IsInf(*cell, 0) {
		return fmt.Errorf("-cell %v: the metres between two points are more than 0", *cell)
	}
	grid, err := load(*in)
	if err != nil {
		return err
	}
	program, err := shade.Relief()
	if err != nil {
		return err
	}
	pixels, err := render(program, grid, float32(*cell))
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, program.Explain())
	img := picture(pixels)
	if err := write(*out, img); err != nil {
		return err
	}
	rows, cols := grid.Shape()[0], grid.Shape()[1]
	fmt.Fprintf(stdout, "\n%s: %d x %d pixels from %d x %d elevations, copies = %d\n",
		*out, img.Bounds().Dx(), img.Bounds().Dy(), cols, rows, program.Copies())
	return nil
}

// load reads a grid with its northern row first and its western column first.
func load(path string) (*graph.Tensor, error) {
	if path == "" {
		t, err := table.Read(bytes.NewReader(volcano), "volcano.csv")
		if err != nil {
			return nil, err
		}
		// The file's rows run from east to west and from south to north: turning the map is a view.
		return graph.Of(t.Data, t.Rows, t.Cols).Flip(0, 1).T(), nil
	}
	t, err := table.Open(path)
	if err != nil {
		return nil, err
	}
	if t.Rows < 4 || t.Cols < 4 {
		return nil, fmt.Errorf("%s has %d x %d points: a relief needs 4 x 4 at least", path, t.Rows, t.Cols)
	}
	return graph.Of(t.Data, t.Rows, t.Cols), nil
}

// render runs the program on a grid and returns its picture.
func render(p *graph.Program, z *graph.Tensor, cell float32) (*graph.Tensor, error) {
	lo, hi := elevations(z)
	if lo == hi {
		hi = lo + 1 // flat ground gets the low colour
	}
	scalar := func(v float32) *graph.Tensor { return graph.Full(graph.Float32, v) }
	return p.Run(context.Background(), z, scalar(cell), scalar(lo), scalar(hi))
}

// elevations returns the least and the greatest.
func elevations(z *graph.Tensor) (lo, hi float32) {
	all, _ := graph.All[float32](z) // Run reports what is wrong with z
	lo, hi = float32(math.Inf(1)), float32(math.Inf(-1))
	for v := range all {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// picture turns planes [3,height,width] into an image.
func picture(planes *graph.Tensor) *image.NRGBA {
	height, width := planes.Shape()[1], planes.Shape()[2]
	data, _ := graph.Data[uint8](planes) // a result is row-major
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.SetNRGBA(i%width, i/width, color.NRGBA{data[i], data[i+width*height], data[i+2*width*height], 255})
	}
	return img
}

func write(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}
