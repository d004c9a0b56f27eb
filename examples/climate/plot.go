package main

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	grey   = color.Gray{0xb0}
	blue   = color.NRGBA{0x1f, 0x5f, 0xa8, 0xff}
	orange = color.NRGBA{0xd9, 0x5f, 0x0e, 0xff}
)

// draw writes four plots to a file. Its name gives the format.
func (f *findings) draw(path string) error {
	c, err := draw.NewFormattedCanvas(9*vg.Inch, 6*vg.Inch, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	air, err1 := f.drawAir()
	season, err2 := f.drawSeason()
	sun, err3 := f.drawSun()
	cycle, err4 := f.drawCycle()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	plots := [][]*plot.Plot{{air, season}, {sun, cycle}}
	pad := vg.Points(12)
	tiles := draw.Tiles{Rows: 2, Cols: 2, PadX: pad, PadY: pad, PadTop: pad, PadBottom: pad, PadLeft: pad, PadRight: pad}
	for i, row := range plot.Align(plots, tiles, draw.New(c)) {
		for j, canvas := range row {
			plots[i][j].Draw(canvas)
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(file)
	return errors.Join(err, file.Close())
}

func (f *findings) drawAir() (*plot.Plot, error) {
	p := newPlot("CO2 at Mauna Loa", "ppm")
	straight := make([]float64, f.air.months.Size())
	for i := range straight {
		straight[i] = f.line.mean + f.line.slope*(float64(i)-float64(len(straight)-1)/2)/year
	}
	return p, errors.Join(
		add(p, "", grey, f.air.date(0), numbers(f.air.months)),
		add(p, "12 months", blue, f.air.date(5.5), f.airMean.means),
		add(p, "line", orange, f.air.date(0), straight))
}

func (f *findings) drawSeason() (*plot.Plot, error) {
	p := newPlot("CO2 by month, from the line", "ppm")
	bars, err := plotter.NewBarChart(plotter.Values(f.line.season), vg.Points(16))
	if err != nil {
		return nil, err
	}
	bars.Color, bars.LineStyle.Width = blue, 0
	p.Add(bars)
	p.NominalX(names...)
	return p, nil
}

func (f *findings) drawSun() (*plot.Plot, error) {
	p := newPlot("Sunspots, and their mean of 13 months", "relative number")
	return p, errors.Join(
		add(p, "", grey, f.sun.date(0), numbers(f.sun.months)),
		add(p, "", blue, f.sun.date(6), f.sunMean.means))
}

func (f *findings) drawCycle() (*plot.Plot, error) {
	p := newPlot("Sunspots with themselves, years later", "correlation")
	return p, add(p, "", blue, 1.0/year, f.lags)
}

func newPlot(title, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text = title, y
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	return p
}

// add draws one value per month, starting at a date in years.
func add(p *plot.Plot, name string, c color.Color, from float64, values []float64) error {
	points := make(plotter.XYs, len(values))
	for i, v := range values {
		points[i] = plotter.XY{X: from + float64(i)/year, Y: v}
	}
	l, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	l.Color = c
	p.Add(l)
	if name != "" {
		p.Legend.Add(name, l)
	}
	return nil
}

// date returns a month of the record in years.
func (r *record) date(month float64) float64 { return (float64(r.first) + month) / year }
