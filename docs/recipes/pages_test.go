package recipes_test

import (
	"context"
	stdcsv "encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/csv"
	"github.com/stridefuse/stridefuse/graph"
)

// A script of NumPy as a program.
func Example_fromNumPy() {
	x := graph.Input("x", graph.Float64, graph.Dim("n"), 3)
	z := x.Sub(x.Mean(0)).Div(x.Std(0, graph.DDOF(1)))
	top := z.Slice(":,-1").ArgMax()
	p, err := graph.Compile(z, top)
	check(err)

	out, err := p.RunAll(context.Background(), graph.Of([]float64{1, 2, 3, 4, 5, 7}, 2, 3))
	check(err)
	fmt.Println(out[0])
	fmt.Println(out[1])
	// Output:
	// float64[2,3]
	// [[-0.70710678 -0.70710678 -0.70710678]
	//  [ 0.70710678  0.70710678  0.70710678]]
	// int64[] 1
}

// The loss of a layer and its gradient.
func Example_fromGo() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 2)
	want := graph.Input("want", graph.Float32, graph.Dim("n"), 1)
	w := graph.Input("w", graph.Float32, 2, 1)
	loss := x.MatMul(w).Tanh().Sub(want).Square().Mean()
	p, err := graph.Compile(loss, graph.Grad(loss, w)[0])
	check(err)

	out, err := p.RunAll(context.Background(),
		graph.Of([]float32{1, 2, 3, 4}, 2, 2), graph.Of([]float32{0, 1}, 2, 1), graph.Of([]float32{0.5, -0.25}, 2, 1))
	check(err)
	fmt.Println(out[0], out[1].Reshape(2))
	// Output:
	// float32[] 0.14465895 float32[2]
	// [-1.2690501 -1.6920668]
}

// A column of dates.
func Example_dates() {
	file := strings.NewReader("day,price\n2024-02-28,10\n2024-02-29,11\n2024-03-01,13\n")
	columns, err := csv.ReadColumns(file,
		csv.Column{Name: "day", Type: graph.Int64, Time: time.DateOnly},
		csv.Column{Name: "price", Type: graph.Float64})
	check(err)
	day, err := graph.Compile(graph.Const(columns[0]).FloorDiv(86400).Diff(0, 1))
	check(err)
	steps, err := day.Run(context.Background())
	check(err)
	fmt.Println(steps)
	// Output:
	// int64[2]
	// [1 1]
}

// Words as keys of groups.
func Example_words() {
	text := "city,price\nBern,2\nUlm,5\nBern,6\n"
	records, err := stdcsv.NewReader(strings.NewReader(text)).ReadAll() // package encoding/csv
	check(err)
	numbers, codes := map[string]int64{}, []int64{}
	for _, r := range records[1:] {
		if _, met := numbers[r[0]]; !met {
			numbers[r[0]] = int64(len(numbers))
		}
		codes = append(codes, numbers[r[0]])
	}
	prices, err := csv.ReadColumns(strings.NewReader(text), csv.Column{Name: "price", Type: graph.Float64})
	check(err)
	mean, err := graph.Compile(graph.Const(prices[0]).GroupBy(graph.Of(codes), len(numbers)).Mean())
	check(err)
	means, err := mean.Run(context.Background())
	check(err)
	fmt.Println(means)
	// Output:
	// float64[2]
	// [4. 5.]
}

// TestPages compares the Go code of pages with the examples of this package.
func TestPages(t *testing.T) {
	source, err := os.ReadFile("pages_test.go")
	require.NoError(t, err)
	code := strings.ReplaceAll(string(source), "\n\t", "\n")
	for _, page := range []string{"../from-numpy.md", "../from-go.md", "../data.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		blocks := strings.Split(string(text), "```go\n")[1:]
		require.NotEmpty(t, blocks, page)
		for _, b := range blocks {
			b, _, _ = strings.Cut(b, "```")
			require.Contains(t, code, b, page)
		}
	}
}
