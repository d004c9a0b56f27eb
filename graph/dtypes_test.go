package graph_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

var update = flag.Bool("update", false, "write docs/dtypes.md")

const dtypesIntro = `# Element types

This page is made from the table of element types, and of what each method does with each type: ` + "`go test ./graph -run DTypes -update`" + `.

Some types are computed in another type: an operation converts its operands, computes, and rounds or wraps its result once. Reductions,
scans and products convert their operands once and their results once. Types without a compute type can only be moved, chosen
by Where and converted; Cast them to compute. An element of less than 8 bits takes a byte and uses its low bits.

Elementary functions of float16 and bfloat16 are those of float32, rounded once more. The error is at most 0.5001 ULP: for at most 20 of
the 2^16 inputs of a function (cbrt of float16) the result is not the nearest element. ` + "`cmd/ulp/testdata/halves.txt`" + ` has the
counts, and ` + "`go test ./cmd/ulp -run Halves`" + ` measures them again. ` + "`go test ./graph -run FewBits -long`" + ` compares the conversions of all 2^32
float32 numbers to 16, 8 and 4 bits with the definition, on both engines. ` + "`go test ./graph -run Pairs`" + ` tests all pairs of integers of 8 bits.

On amd64 a loop that computes only integers of 8 bits and bools has lanes of a byte; one with integers of up to 16 bits has lanes of 16 bits.

| type | in IR text | bits | bytes | computed in | sums of many |
|---|---|---|---|---|---|
`

const dtypesOperations = `
## Operations

Methods of ` + "`graph.Node`" + ` and functions of ` + "`graph`" + ` that take the same types are one row. The types are those of x; "all" is all types of the column.
Some methods convert x first: totals of bools and short integers have 64 bits, a truth value is x.Ne(0), and false orders before true.

`

// typeColumns are the columns of the table of operations.
var typeColumns = []struct {
	name  string
	types ir.DTypes
}{
	{"bool", ir.Bools}, {"int8 to int64", ir.Signed}, {"uint8 to uint64", ir.Unsigned},
	{"floats", ir.Floats}, {"fixed16x16", ir.Reals &^ ir.Floats}, {"8 bits and less, stored", ir.Stored},
}

// TestDTypes compares docs/dtypes.md with the table of element types, and with the result of calling each method on
// each type: the call is an error, or the graph compiles and runs.
func TestDTypes(t *testing.T) {
	var b strings.Builder
	b.WriteString(dtypesIntro)
	for _, d := range ir.AllTypes.List() {
		computed, total := d.Compute().String(), d.Total().String()
		if ir.Stored.Has(d) {
			computed, total = "", ""
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s |\n", d, d.Text(), d.Bits(), d.Size(), computed, total)
	}
	b.WriteString(dtypesOperations)
	for _, c := range typeColumns {
		fmt.Fprintf(&b, "| %s ", c.name)
	}
	fmt.Fprintf(&b, "| methods and functions |\n%s---|\n", "|"+strings.Repeat("---|", len(typeColumns)))
	methods := taking(t)
	for _, types := range byCount(methods) {
		for _, c := range typeColumns {
			fmt.Fprintf(&b, "| %s ", cell(types, c.types))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(methods[types], ", "))
	}
	const file = "../docs/dtypes.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(doc), b.String(), "after a change that is meant, run: go test ./graph -run DTypes -update")
}

// byCount returns the sets of types, most frequent first.
func byCount(methods map[ir.DTypes][]string) []ir.DTypes {
	var sets []ir.DTypes
	for types := range methods {
		sets = append(sets, types)
	}
	slices.SortFunc(sets, func(a, b ir.DTypes) int {
		if n := len(methods[b]) - len(methods[a]); n != 0 {
			return n
		}
		return strings.Compare(methods[a][0], methods[b][0])
	})
	return sets
}

// taking returns for each set of types the methods that accept it. An accepted type must compile and run.
func taking(t *testing.T) map[ir.DTypes][]string {
	numbers := graph.Uniform(graph.Float32, 1, 0, 3.9, 4, 4, 4, 4)
	in := map[graph.DType]*graph.Tensor{}
	for _, dt := range ir.AllTypes.List() {
		in[dt] = run(t, graph.Const(numbers).Cast(dt))
	}
	methods := map[ir.DTypes][]string{}
	for _, c := range calls(t) {
		var types ir.DTypes
		for _, dt := range ir.AllTypes.List() {
			x := graph.Input("x", dt, 4, 4, 4, 4)
			y := c.of(x)
			if y.Err() != nil {
				continue
			}
			types |= ir.SetOf(dt)
			p, err := graph.Compile(y, graph.WithInputs(x))
			require.NoError(t, err, "%s of %s", c.name, dt)
			_, err = p.Run(t.Context(), in[dt])
			require.NoError(t, err, "%s of %s", c.name, dt)
		}
		require.NotZero(t, types, "%s takes no type: its call in methods_test.go is wrong", c.name)
		methods[types] = append(methods[types], c.name)
	}
	return methods
}

// cell describes which types of a column are in a domain.
func cell(domain, column ir.DTypes) string {
	switch domain & column {
	case 0:
		return ""
	case column:
		return "all"
	}
	return (domain & column).String()
}
