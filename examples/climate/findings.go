package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// findings are the numbers to print and to draw.
type findings struct {
	air, sun       *record
	line           *line   // trend of the CO2 record
	before, after  float64 // slopes of its first and last ten years
	airMean        *smooth // over 12 months
	sunMean        *smooth // over 13 months
	peaks          []peak
	lags           []float64  // autocorrelation of the sunspots, by months of lag minus 1
	cycles         []int      // months of its first three peaks
	ofLine, ofMean [2]float64 // autocorrelation of the CO2 residuals, half a year and a year later
	both           float64    // correlation of sunspots with the CO2 residuals of the line
	chance         float64    // share of other stretches of sunspots that correlate more
}

type peak struct {
	begin, end int // years
	*smooth
}

// find runs the programs.
func (c *compiled) find(air, sun *record) (*findings, error) {
	f := &findings{air: air, sun: sun}
	for _, step := range []func(*findings) error{c.trends, c.greatest, c.cycle, c.correlations} {
		if err := step(f); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (c *compiled) trends(f *findings) (err error) {
	if f.line, err = c.line(f.air.months); err != nil {
		return err
	}
	first, err := c.line(f.air.from(1959, 1968).months)
	if err != nil {
		return err
	}
	last, err := c.line(f.air.from(1988, 1997).months)
	if err != nil {
		return err
	}
	f.before, f.after = first.slope, last.slope
	return nil
}

func (c *compiled) greatest(f *findings) (err error) {
	if f.airMean, err = means(c.mean12, f.air.months); err != nil {
		return err
	}
	if f.sunMean, err = means(c.mean13, f.sun.months); err != nil {
		return err
	}
	for begin := 1750; begin < 1984; begin += 50 {
		end := min(begin+49, 1983)
		m, err := means(c.mean13, f.sun.from(begin, end).months)
		if err != nil {
			return err
		}
		f.peaks = append(f.peaks, peak{begin, end, m})
	}
	return nil
}

// cycle looks for the lags at which sunspots correlate most with themselves: one within 5 to 15 years, the next eleven
// years later, and once more. Each lag compares the same number of months: a program makes one plan per size, which
// takes longer than a hundred runs, and views with another beginning share the plan.
func (c *compiled) cycle(f *findings) error {
	const last = 40 * year
	n := f.sun.months.Size() - last
	for lag := 1; lag <= last; lag++ {
		r, err := c.lagged(f.sun.months, n, lag)
		if err != nil {
			return err
		}
		f.lags = append(f.lags, r)
	}
	for begin := 5; begin < 37; begin += 11 {
		best := begin * year
		for lag := best; lag <= (begin+10)*year; lag++ {
			if f.lags[lag-1] > f.lags[best-1] {
				best = lag
			}
		}
		f.cycles = append(f.cycles, best)
	}
	return nil
}

func (c *compiled) correlations(f *findings) (err error) {
	n := len(f.airMean.around) - year
	for i, lag := range []int{year / 2, year} {
		if f.ofLine[i], err = c.lagged(graph.Of(f.line.rest), n, lag); err != nil {
			return err
		}
		if f.ofMean[i], err = c.lagged(graph.Of(f.airMean.around), n, lag); err != nil {
			return err
		}
	}
	// The years that both records have, and all earlier stretches of the same length.
	l, err := c.line(f.air.from(1959, 1983).months)
	if err != nil {
		return err
	}
	rest := graph.Of(l.rest)
	if f.both, err = c.correlate(rest, f.sun.from(1959, 1983).months); err != nil {
		return err
	}
	better, others := 0, 0
	for begin := 1749; begin+24 < 1959; begin++ {
		r, err := c.correlate(rest, f.sun.from(begin, begin+24).months)
		if err != nil {
			return err
		}
		if others++; math.Abs(r) > math.Abs(f.both) {
			better++
		}
	}
	f.chance = float64(better) / float64(others)
	return nil
}

func (f *findings) print(w io.Writer) {
	n := f.air.months.Size()
	fmt.Fprintf(w, "CO2 at Mauna Loa, %s to %s, %d months\n", f.air.month(0), f.air.month(n-1), n)
	fmt.Fprintf(w, "  trend           %.2f ppm a year; %.2f in the first ten years, %.2f in the last\n", f.line.slope, f.before, f.after)
	fmt.Fprintf(w, "  greatest mean   %.1f ppm in the 12 months from %s\n", f.airMean.greatest, f.air.month(f.airMean.at))
	fmt.Fprintf(w, "  season, ppm     %s\n                 ", strings.Join(names, "   "))
	for _, v := range f.line.season {
		fmt.Fprintf(w, "%6.2f", v)
	}
	fmt.Fprintf(w, "\n  with itself     half a year later %.2f around the line, %.2f around the mean of 12 months\n", f.ofLine[0], f.ofMean[0])
	fmt.Fprintf(w, "                  a year later      %.2f                  %.2f\n", f.ofLine[1], f.ofMean[1])

	n = f.sun.months.Size()
	fmt.Fprintf(w, "\nSunspots, %s to %s, %d months\n", f.sun.month(0), f.sun.month(n-1), n)
	for _, p := range f.peaks {
		fmt.Fprintf(w, "  %d to %d    %.1f in the 13 months around %s\n", p.begin, p.end, p.greatest, f.sun.from(p.begin, p.end).month(p.at+6))
	}
	fmt.Fprint(w, "  with itself     ")
	for i, lag := range f.cycles {
		fmt.Fprintf(w, "%s%.2f after %.1f years", []string{"", ", "}[min(i, 1)], f.lags[lag-1], float64(lag)/year)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "  with CO2        %.2f around the line, 1959 to 1983; of earlier 25 years %.0f%% fit better\n", f.both, 100*f.chance)
}
