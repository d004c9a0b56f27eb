package onnx

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

var update = flag.Bool("update", false, "rewrite docs/onnx.md")

// TestTable checks that the versions of an operator do not overlap, and that docs/onnx.md
// lists the table.
func TestTable(t *testing.T) {
	var b strings.Builder
	b.WriteString(intro)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		var versions []string
		end := 0
		types := table[name][0].types
		for _, op := range table[name] {
			require.Greater(t, op.since, end, name)
			end = op.until
			versions = append(versions, versionText(op))
			types = op.types
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, strings.Join(versions, ", "), typesText(types))
	}
	b.WriteString(introRefused)
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		require.NotContains(t, table, name)
		fmt.Fprintf(&b, "| %s | %s |\n", name, refused[name])
	}
	const file = "../../docs/onnx.md"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	doc, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(doc), "after a change that is meant, run: go test ./formats/onnx -run Table -update")
}

const intro = `# ONNX operators

The operators of the default operator set that package onnx supports. "7 on" means version 7 of the operator set and all later versions
up to 28; any other version is an error at load. Types are those of the first input; those of other inputs follow from ONNX's definitions.
The option ` + "`onnx.WithScaledWeights`" + ` merges a BatchNormalization into the product before it, which changes rounding.

TopK takes NaN as greater than all numbers, as PyTorch does; ` + "`graph.TopK`" + ` takes NaNs last. Resize computes positions in float32, as
onnxruntime does. ConvTranspose with an output_shape beyond what it computes ends with zeros.

This page is made from the table of operators: ` + "`go test ./formats/onnx -run Table -update`" + `.

| operator | versions | types |
|---|---|---|
`

const introRefused = `
## Not supported

All other operators of the default set are supported in all versions. Operators of other sets are functions of the model, or errors.

| operator | reason |
|---|---|
`

func versionText(op *operator) string {
	switch op.until {
	case latest:
		return fmt.Sprintf("%d on", op.since)
	case op.since:
		return fmt.Sprint(op.since)
	}
	return fmt.Sprintf("%d to %d", op.since, op.until)
}

// typesText names the element types of a set that run.
func typesText(s ir.DTypes) string {
	for _, named := range []struct {
		types ir.DTypes
		name  string
	}{{0, ""}, {ir.AllTypes, "all"}, {anything, "all, sequences"}, {anySequence, "sequences"}, {ir.Ints | anySequence | anyOptional, "integers"},
		{ir.Floats | ir.Minifloats, "floats of all widths"}, {ir.Numeric, "numbers"}, {ir.Floats, "floats"}, {ir.Ints, "integers"}, {ir.Computed, "bool, numbers"}, {ir.Ints | ir.Stored, "integers, stored types"}, {ir.Unsigned, "unsigned integers"}} {
		if s == named.types {
			return named.name
		}
	}
	return s.String()
}
