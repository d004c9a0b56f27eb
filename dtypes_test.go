package stridefuse

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

const dtypesIntro = `# Element types

This page is made from the tables of element types and of operations: ` + "`go test . -run DTypes -update`" + `.

An operation on a type that is computed in another converts its operands, computes, and rounds or wraps its result once; reductions,
scans and products convert their operands once and their results once. Types of which nothing is computed are moved, chosen
by Where and converted; Cast them to compute. An element of less than 8 bits has a byte of its own, of which it is the low bits.

Elementary functions of float16 and bfloat16 are those of float32, rounded once more. Of all 2^16 inputs at most 20 results of a function
(cbrt of float16) are not the element nearest to the exact value; the error is at most 0.5001 ULP. ` + "`cmd/ulp/testdata/halves.txt`" + ` has the
counts, and ` + "`go test ./cmd/ulp -run Halves`" + ` measures them again. ` + "`go test ./graph -run FewBits -long`" + ` compares the conversions of all 2^32
float32 numbers to 16, 8 and 4 bits with the definition, on both engines. ` + "`go test ./graph -run Pairs`" + ` does all pairs of integers of 8 bits.

Bodies of integers of 8 bits and bools alone have lanes of a byte on amd64, those of integers of up to 16 bits have lanes of 16 bits.

| type | in IR text | bits | bytes | computed in | sums of many |
|---|---|---|---|---|---|
`

const dtypesOperations = `
## Operations

"all" is all types of the column. Operations are named as the methods of ` + "`graph.Node`" + ` and functions of ` + "`graph`" + `, in lower case. Scatter that adds, multiplies or
compares takes what add does.

`

// typeColumns are the columns of the table of operations.
var typeColumns = []struct {
	name  string
	types ir.DTypes
}{
	{"bool", ir.Bools}, {"int8 to int64", ir.Signed}, {"uint8 to uint64", ir.Unsigned},
	{"float16 to float64, bfloat16", ir.Floats}, {"fixed16x16", ir.Reals &^ ir.Floats}, {"8 bits and less, stored", ir.Stored},
}

// TestDTypes compares docs/dtypes.md with the tables.
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
	b.WriteString("| operation |")
	for _, c := range typeColumns {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---|", len(typeColumns)))
	var methods []string
	domains := map[string]ir.DTypes{}
	for _, op := range ir.Ops() {
		if info := op.Info(); info.Kind != ir.Source && !info.Internal {
			if domains[op.Method()] == 0 {
				methods = append(methods, op.Method())
			}
			domains[op.Method()] |= info.Domain
		}
	}
	for _, m := range methods {
		fmt.Fprintf(&b, "| %s |", m)
		for _, c := range typeColumns {
			fmt.Fprintf(&b, " %s |", cell(domains[m], c.types))
		}
		b.WriteString("\n")
	}
	const file = "docs/dtypes.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(doc), "after a change that is meant, run: go test . -run DTypes -update")
}

// cell says which types of a column are in a domain.
func cell(domain, column ir.DTypes) string {
	switch domain & column {
	case 0:
		return ""
	case column:
		return "all"
	}
	return (domain & column).String()
}
