package main

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A colour and a shape for each species.
var (
	colours = []color.Color{
		color.NRGBA{0x1f, 0x5f, 0xa8, 0xff},
		color.NRGBA{0xd9, 0x5f, 0x0e, 0xff},
		color.NRGBA{0x3a, 0x8c, 0x4f, 0xff},
	}
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{}}
)

// draw writes the flowers along the first two components to a file. Its name
// gives the format.
func (a *analysis) draw(path string, f *flowers) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Iris: %.1f%% of the variance of %d measurements", 100*(a.share[0]+a.share[1]), len(f.measured))
	p.X.Label.Text = fmt.Sprintf("first component, cm (%.1f%%)", 100*a.share[0])
	p.Y.Label.Text = fmt.Sprintf("second component, cm (%.1f%%)", 100*a.share[1])
	p.Add(plotter.NewGrid())

	kinds := f.kinds()
	points := make([]plotter.XYs, len(kinds))
	scores := slices.Collect(slices.Chunk(numbers(a.scores), len(a.share)))
	for i, s := range f.species {
		kind := slices.Index(kinds, s)
		points[kind] = append(points[kind], plotter.XY{X: scores[i][0], Y: scores[i][1]})
	}
	for i, kind := range kinds {
		s, err := plotter.NewScatter(points[i])
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: colours[i%len(colours)], Shape: shapes[i%len(shapes)], Radius: vg.Points(2.5)}
		p.Add(s)
		p.Legend.Add(kind, s)
	}
	picture, err := p.WriterTo(6*vg.Inch, 4.5*vg.Inch, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = picture.WriteTo(file)
	return errors.Join(err, file.Close())
}
