package gonum_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/formula"
	"github.com/stridefuse/stridefuse/x/gonum"
)

// certified is a case of NIST's StRD.
type certified struct {
	model              string
	starts             [2][]float64
	values, deviations []float64
	cost               float64
	columns            [][]float64 // y and the predictors
}

var (
	parameterLine = regexp.MustCompile(`(?m)^\s*b\d+\s*=\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$`)
	costLine      = regexp.MustCompile(`Residual Sum of Squares:\s*(\S+)`)
	dataLine      = regexp.MustCompile(`\nData: +y`)
	modelText     = regexp.MustCompile(`(?s)\n\s*(y|log\[y\])\s*=(.*?)\+\s*e\s*\n`)
)

// readCertified reads a file of StRD.
func readCertified(t *testing.T, path string) (c certified) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return v
	}
	whole := strings.ReplaceAll(string(text), "\r", "")
	at := dataLine.FindStringIndex(whole)
	require.NotNil(t, at)
	head, data := whole[:at[0]], whole[at[1]:]
	for _, m := range parameterLine.FindAllStringSubmatch(head, -1) {
		c.starts[0], c.starts[1] = append(c.starts[0], number(m[1])), append(c.starts[1], number(m[2]))
		c.values, c.deviations = append(c.values, number(m[3])), append(c.deviations, number(m[4]))
	}
	c.cost = number(costLine.FindStringSubmatch(head)[1])
	m := modelText.FindStringSubmatch(head)
	require.NotNil(t, m)
	c.model = strings.TrimSpace(strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(m[2]))
	for i, line := range strings.Split(strings.TrimSpace(data), "\n") {
		fields := strings.Fields(line)
		if i == 0 {
			c.columns = make([][]float64, len(fields)+1) // the header, after y
			continue
		}
		for k, f := range fields {
			c.columns[k] = append(c.columns[k], number(f))
		}
	}
	if m[1] != "y" {
		for i, v := range c.columns[0] {
			c.columns[0][i] = math.Log(v)
		}
	}
	return c
}

// TestCertified fits all cases of nonlinear regression of NIST's StRD from both of their starts. Parameters, standard errors and sums of
// squares are certified to 11 digits. (The sum of squares of Lanczos1 is 1.4e-25, rounding errors of the data.)
func TestCertified(t *testing.T) {
	files, err := filepath.Glob("testdata/strd/*.dat")
	require.NoError(t, err)
	require.Len(t, files, 27)
	for _, file := range files {
		c := readCertified(t, file)
		p := graph.Input("p", graph.Float64, len(c.values))
		problem := gonum.LeastSquares{}
		names, data, tensors := map[string]graph.Node{}, []graph.Node{}, []*graph.Tensor{}
		for i := range c.values {
			names[fmt.Sprint("b", i+1)] = p.At(i)
		}
		for k, column := range c.columns {
			data, tensors = append(data, graph.Input(fmt.Sprint("x", k), graph.Float64, graph.Dim("n"))), append(tensors, graph.Of(column))
			names[fmt.Sprint("x", k)] = data[k]
		}
		names["x"] = data[1]
		model, err := formula.Parse(c.model, names)
		require.NoError(t, err, file)
		problem, err = gonum.NewLeastSquares(model.Sub(data[0]), p, data...)
		require.NoError(t, err, file)
		problem.Data = tensors
		tolerance := 1e-6
		for i, start := range c.starts {
			fit, err := problem.Solve(t.Context(), start)
			require.NoError(t, err, "%s, start %d", file, i+1)
			for k, e := range fit.Errors() {
				require.InEpsilon(t, c.values[k], fit.X[k], 1e-6, "%s, start %d, b%d", file, i+1, k+1)
				if filepath.Base(file) == "Lanczos1.dat" {
					tolerance = 1e-2
				}
				require.InEpsilon(t, c.deviations[k], e, tolerance, "%s, start %d, error of b%d", file, i+1, k+1)
			}
			require.InEpsilon(t, c.cost, fit.Cost, tolerance, "%s, start %d", file, i+1)
		}
	}
}

// TestLinear compares residuals that are linear, of more and of fewer rows than variables, with gonum's solution. Variables may be a
// matrix.
func TestLinear(t *testing.T) {
	for _, n := range []int{2, 3, 6, 7, 20} {
		a, b := graph.Normal(graph.Float64, 1, 0, 1, n, 6), graph.Normal(graph.Float64, 2, 0, 1, n)
		x := graph.Input("x", graph.Float64, 2, 3)
		problem, err := gonum.NewLeastSquares(graph.Const(a).MatMul(x.Reshape(6)).Sub(b), x)
		require.NoError(t, err)
		fit, err := problem.Solve(t.Context(), make([]float64, 6))
		require.NoError(t, err)
		dense, err := gonum.Dense(a)
		require.NoError(t, err)
		target, err := gonum.VecDense(b)
		require.NoError(t, err)
		var want, residual mat.VecDense
		require.NoError(t, want.SolveVec(dense, target))
		if n >= 6 {
			require.InDeltaSlice(t, want.RawVector().Data, fit.X, 1e-6, "%d rows", n)
		}
		residual.MulVec(dense, &want)
		residual.SubVec(&residual, target)
		require.InDeltaSlice(t, residual.RawVector().Data, fit.Residuals, 1e-6)
		if n <= 6 {
			require.Nil(t, fit.Covariance)
			require.True(t, math.IsNaN(fit.Errors()[0]))
			continue
		}
		var square, inverse mat.Dense
		square.Mul(dense.T(), dense)
		require.NoError(t, inverse.Inverse(&square))
		inverse.Scale(fit.Cost/float64(n-6), &inverse)
		require.True(t, mat.EqualApprox(&inverse, fit.Covariance, 1e-9))
	}
}

func TestLeastSquaresErrors(t *testing.T) {
	n := graph.Dim("n")
	x, y := graph.Input("x", graph.Float64, 2), graph.Input("y", graph.Float64, n)
	r := y.Mul(x.At(0)).Add(x.At(1).Sqrt())
	solve := func(data *graph.Tensor, start ...float64) error {
		problem, err := gonum.NewLeastSquares(r, x, y)
		require.NoError(t, err)
		problem.Data = []*graph.Tensor{data}
		_, err = problem.Solve(t.Context(), start)
		return err
	}
	data := graph.Of([]float64{1, 2, 4})
	_, symbolic := gonum.NewLeastSquares(y, y)
	z, nothing := graph.Input("z", graph.Float32, 3), graph.Input("z", graph.Float64, 0)
	_, narrow := gonum.NewLeastSquares(z, z)
	_, empty := gonum.NewLeastSquares(nothing.Sum(), nothing)
	_, none := gonum.LeastSquares{}.Solve(t.Context(), nil)
	unset, err := gonum.NewLeastSquares(r, x, y)
	require.NoError(t, err)
	_, missing := unset.Solve(t.Context(), []float64{1, 1})
	for want, err := range map[string]error{
		"of a shape of numbers":                                  symbolic,
		"they must be float64":                                   narrow,
		"there must be one at least":                             empty,
		"a program is nil":                                       none,
		"Data is empty: set it to the tensors of [y float64[n]]": missing,
		"there are no residuals":                                 solve(graph.New(graph.Float64, 0), 1, 1),
		"input x":                                                solve(data, 1, 2, 3),
		"the residuals at the start [1 -1] have the norm NaN":    solve(data, 1, -1),
		"the Jacobian at [1 0] has the norm":                     solve(data, 1, 0),
	} {
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "least_test.go:")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	unset.Data = []*graph.Tensor{data}
	_, err = unset.Solve(ctx, []float64{1, 1})
	require.ErrorIs(t, err, context.Canceled)
	unset.Most = 2
	fit, err := unset.Solve(t.Context(), []float64{1, 1})
	require.ErrorIs(t, err, gonum.ErrNotConverged)
	require.InDelta(t, 4+9+25, fit.Cost, 1e-9)
}

// An exponential decay with its uncertainties.
func ExampleNewLeastSquares() {
	p := graph.Input("p", graph.Float64, 2) // amplitude and rate
	t, y := graph.Input("t", graph.Float64, graph.Dim("n")), graph.Input("y", graph.Float64, graph.Dim("n"))
	model := p.At(1).Neg().Mul(t).Exp().Mul(p.At(0))
	problem, err := gonum.NewLeastSquares(model.Sub(y), p, t, y)
	if err != nil {
		panic(err)
	}
	problem.Data = []*graph.Tensor{
		graph.Of([]float64{0, 1, 2, 3, 4, 5, 6, 7}), graph.Of([]float64{1003, 744, 548, 405, 305, 219, 163, 128}),
	}
	fit, err := problem.Solve(context.Background(), []float64{500, 1})
	if err != nil {
		panic(err)
	}
	e := fit.Errors()
	fmt.Printf("amplitude %.1f ± %.1f, rate %.4f ± %.4f\n", fit.X[0], e[0], fit.X[1], e[1])
	// Output:
	// amplitude 1003.0 ± 3.1, rate 0.3007 ± 0.0016
}
