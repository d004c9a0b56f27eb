package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// Results of prcomp of R 4.2 on the data, with the same signs.
var (
	means      = []float64{5.84333333333333, 3.05733333333333, 3.758, 1.19933333333333}
	variances  = []float64{4.228241706034864, 0.242670747928634, 0.0782095000429193, 0.0238350929734495}
	shares     = []float64{0.924618723201727, 0.0530664831170679, 0.0171026098079298, 0.0052121838732754}
	components = [][]float64{
		{0.361386591785369, -0.0845225140645686, 0.856670605949835, 0.358289197151551},
		{0.656588771286842, 0.730161434785027, -0.173372662795857, -0.0754810199174636},
		{-0.582029851306065, 0.597910830100085, 0.0762360758209633, 0.545831432020076},
		{0.315487192903976, -0.319723103666129, -0.479838986994634, 0.753657425264045},
	}
	first = []float64{-2.68412562596953, 0.319397246585101, -0.0279148275894135, 0.00226243707131661}
)

func analysed(t *testing.T) (*compiled, *flowers, *analysis) {
	f, err := read(iris, "iris.csv")
	require.NoError(t, err)
	c, err := compile()
	require.NoError(t, err)
	a, err := c.analyse(f.values)
	require.NoError(t, err)
	return c, f, a
}

func TestAnalyse(t *testing.T) {
	c, f, a := analysed(t)
	require.Zero(t, c.covariance.Copies())
	require.Equal(t, []string{"setosa", "versicolor", "virginica"}, f.kinds())
	require.InDeltaSlice(t, means, a.mean, 1e-13)
	require.InDeltaSlice(t, variances, a.variance, 1e-13)
	require.InDeltaSlice(t, shares, a.share, 1e-14)
	for i, want := range components {
		require.InDeltaSlice(t, want, a.components[i], 1e-13, "component %d", i+1)
	}
	require.InDeltaSlice(t, first, numbers(a.scores)[:4], 1e-12)
	require.Less(t, max(a.skew, a.off), 1e-14)
}

func TestRun(t *testing.T) {
	const want = `Iris, 150 flowers of 4 measurements
            variance    share      sum  steps   Sepal.Length    Sepal.Width   Petal.Length    Petal.Width
component 1 4.228242 0.924619 0.924619     12     0.36138659    -0.08452251     0.85667061     0.35828920
component 2 0.242671 0.053066 0.977685     30     0.65658877     0.73016143    -0.17337266    -0.07548102
component 3 0.078210 0.017103 0.994788     28    -0.58202985     0.59791083     0.07623608     0.54583143
component 4 0.023835 0.005212 1.000000      3     0.31548719    -0.31972310    -0.47983899     0.75365743
mean                                              5.84333333     3.05733333     3.75800000     1.19933333
`
	for _, name := range []string{"pca.png", "pca.svg", "pca.pdf"} {
		out := filepath.Join(t.TempDir(), name)
		var stdout strings.Builder
		require.NoError(t, run([]string{"-out", out, "-explain"}, &stdout))
		require.True(t, strings.HasPrefix(stdout.String(), want), stdout.String())
		require.Contains(t, stdout.String(), "\nprogram power\n")
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.Greater(t, info.Size(), int64(5_000), name)
	}
	require.ErrorContains(t, run([]string{"-out", "pca.doc"}, &strings.Builder{}), "pca.doc: unsupported format")
	require.NoFileExists(t, "pca.doc")
	require.ErrorContains(t, run([]string{"iris.csv"}, &strings.Builder{}), "unexpected argument")
}

// TestStepAllocatesNothing: a step of the iteration allocates nothing.
func TestStepAllocatesNothing(t *testing.T) {
	c, _, a := analysed(t)
	d := len(a.mean)
	float := graph.Float64
	cov, found, v := graph.Eye(float, d), graph.Zeros(float, d, d), graph.Ones(float, d)
	outs := []*graph.Tensor{graph.New(float, d), graph.New(float)}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := c.power.RunInto(context.Background(), outs, cov, found, v); err != nil {
			t.Fatal(err)
		}
	}))
	require.Equal(t, []float64{0.5, 0.5, 0.5, 0.5}, numbers(outs[0]))
}

// TestOtherTables: the programs serve tables of other sizes.
func TestOtherTables(t *testing.T) {
	c, _, _ := analysed(t)
	// Orthogonal columns whose sums of squares are 2, 18 and 8.
	a, err := c.analyse(graph.Of([]float64{
		1, 0, 0,
		-1, 0, 0,
		0, 3, 0,
		0, -3, 0,
		0, 0, 2,
		0, 0, -2,
	}, 6, 3))
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{18. / 5, 8. / 5, 2. / 5}, a.variance, 1e-14)
	for i, axis := range []int{1, 2, 0} {
		require.InDelta(t, 1, a.components[i][axis], 1e-14)
	}
	// Nothing varies: there is no direction.
	_, err = c.analyse(graph.Ones(graph.Float64, 3, 2))
	require.ErrorContains(t, err, "component 1 has no direction")
	_, err = c.analyse(graph.Full(graph.Float64, math.Inf(1), 3, 2))
	require.ErrorContains(t, err, "component 1 has no direction")
}

func TestBadTables(t *testing.T) {
	for file, want := range map[string]string{
		"a,kind\n1,x\n":       "x.csv: expected a header",
		"a,kind\n1,x\n2\n":    "x.csv: record on line 3: wrong number of fields",
		"a,kind\n1,x\n2?,x\n": `x.csv:3: strconv.ParseFloat: parsing "2?": invalid syntax`,
	} {
		_, err := read([]byte(file), "x.csv")
		require.ErrorContains(t, err, want)
	}
}
