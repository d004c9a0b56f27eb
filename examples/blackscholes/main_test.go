package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/examples/blackscholes/greeks"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() { portable.Register() } // a program with assembly does not link these loops

// closed returns the six numbers of an option, computed by package math.
func closed(call bool, spot, rate, strike, years, vol float64) [6]float64 {
	d1 := (math.Log(spot/strike) + (rate+vol*vol/2)*years) / (vol * math.Sqrt(years))
	d2 := d1 - vol*math.Sqrt(years)
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	pdf := math.Exp(-d1*d1/2) / math.Sqrt(2*math.Pi)
	owed := strike * math.Exp(-rate*years)
	gamma, vega, decay := pdf/(spot*vol*math.Sqrt(years)), spot*pdf*math.Sqrt(years), -spot*pdf*vol/(2*math.Sqrt(years))
	if call {
		return [6]float64{spot*cdf(d1) - owed*cdf(d2), cdf(d1), gamma, vega, decay - rate*owed*cdf(d2), years * owed * cdf(d2)}
	}
	return [6]float64{owed*cdf(-d2) - spot*cdf(-d1), -cdf(-d1), gamma, vega, decay + rate*owed*cdf(-d2), -years * owed * cdf(-d2)}
}

// TestPrinted prints the whole book and compares every digit with the closed
// form's.
func TestPrinted(t *testing.T) {
	book, err := load("")
	require.NoError(t, err)
	var want strings.Builder
	var total [6]float64
	n := 0
	for _, c := range book {
		for i := range c.strike {
			v := closed(c.kind == "call", c.spot, c.rate, c.strike[i], c.years[i], c.vol[i])
			fmt.Fprintf(&want, "%s %s %.2f %.2f %.4f %.4f | %.4f %.5f %.5f %.4f %.4f %.4f\n", c.underlying, c.kind,
				c.spot, c.strike[i], c.years[i], c.vol[i], v[0], v[1], v[2], v[3], v[4], v[5])
			for k := range total {
				total[k] += c.quantity[i] * v[k]
			}
			n++
		}
	}
	require.Equal(t, 960, n)
	for k, name := range greeks.Names {
		fmt.Fprintf(&want, "the book's %s %.2f\n", name, total[k])
	}

	var stdout strings.Builder
	require.NoError(t, run([]string{"-rows", "1000", "-speed", "0"}, &stdout))
	_, printed, _ := strings.Cut(stdout.String(), "rho\n")
	require.Equal(t, lines(want.String()), lines(printed))
}

// lines returns the lines of a text, without empty ones and alignment. A rounded zero has no sign.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for i, f := range fields {
			if strings.Trim(f, "-0.") == "" {
				fields[i] = strings.TrimPrefix(f, "-")
			}
		}
		if len(fields) > 0 {
			out = append(out, strings.Join(fields, " "))
		}
	}
	return out
}

// TestEngines compares the bits of the generated kernel, of tilings, of the
// portable loops, and on two threads.
func TestEngines(t *testing.T) {
	book, err := load("")
	require.NoError(t, err)
	p, err := greeks.Program()
	require.NoError(t, err)
	require.Len(t, p.Kernels(), 1, "one loop")
	require.Zero(t, p.Copies())
	for _, o := range []graph.Option{graph.WithDebug(graph.Portable), graph.WithDebug(graph.TilingOnly), graph.WithWorkers(2)} {
		other, err := greeks.Program(o)
		require.NoError(t, err)
		for _, c := range book {
			want, err := c.value(p)
			require.NoError(t, err)
			got, err := c.value(other)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
}

// TestParity prices each call also as a put: call minus put is the underlying minus the discounted strike price.
func TestParity(t *testing.T) {
	book, err := load("")
	require.NoError(t, err)
	p, err := greeks.Program()
	require.NoError(t, err)
	for _, c := range book {
		call, put := *c, *c
		call.kind, put.kind = "call", "put"
		calls, err := call.value(p)
		require.NoError(t, err)
		puts, err := put.value(p)
		require.NoError(t, err)
		for i, strike := range c.strike {
			require.InDelta(t, c.spot-strike*math.Exp(-c.rate*c.years[i]), calls[0][i]-puts[0][i], 1e-14*(c.spot+strike))
			require.InDelta(t, 1, calls[1][i]-puts[1][i], 1e-15)
			require.Equal(t, calls[2][i], puts[2][i])
			require.Equal(t, calls[3][i], puts[3][i])
		}
	}
}

func TestThroughput(t *testing.T) {
	var stdout strings.Builder
	require.NoError(t, run([]string{"-rows", "0", "-speed", "1000"}, &stdout))
	require.Contains(t, stdout.String(), "1000 options in ")
}

func TestBadBooks(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "a book is the line",
		"a,b\n1,2\n":                           "a book is the line",
		columns + "\nX,call,1,2,3\n":           "wrong number of fields",
		columns + "\nX,swap,1,2,0,3,1,0.2\n":   `option 1: kind "swap": call or put`,
		columns + "\nX,put,1,2,0,3,soon,0.2\n": `option 1: years "soon" is no finite number`,
		columns + "\nX,put,1,2,0,3,1,0\n":      "option 1: vol 0: it is more than 0",
		columns + "\nX,put,NaN,2,0,3,1,0\n":    `quantity "NaN" is no finite number`,
	} {
		path := filepath.Join(t.TempDir(), "book.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		require.ErrorContains(t, run([]string{"-in", path}, &strings.Builder{}), want)
	}
	require.ErrorContains(t, run([]string{"book.csv"}, &strings.Builder{}), "-in takes the book")
}
