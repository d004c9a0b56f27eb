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
	var others strings.Builder
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
		if own, ok := strings.CutPrefix(name, "com.microsoft."); ok {
			require.Len(t, versions, 1, name)
			fmt.Fprintf(&others, "| %s | %s |\n", own, typesText(types))
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, strings.Join(versions, ", "), typesText(types))
	}
	b.WriteString(introMicrosoft + others.String())
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

The operators of the default operator set that package onnx supports, and below those of com.microsoft. "7 on" means version 7 of the operator set and all later versions
up to 28; any other version is an error at load. Types are those of the first input; those of other inputs follow from ONNX's definitions.
The option ` + "`onnx.WithScaledWeights`" + ` merges a BatchNormalization into the product before it, which changes rounding.

TopK takes NaN as greater than all numbers, as PyTorch does; ` + "`graph.TopK`" + ` takes NaNs last. Resize computes positions in float32, as
onnxruntime does. ConvTranspose with an output_shape beyond what it computes ends with zeros.

This page is made from the table of operators: ` + "`go test ./formats/onnx -run Table -update`" + `.

| operator | versions | types |
|---|---|---|
`

const introMicrosoft = `
## Operators of com.microsoft

The operators of version 1 of this set, which onnxruntime and its tools define, that are usual in files. They are computed by their
definitions; results that depend on the number of onnxruntime's threads are those of one thread: DynamicQuantizeLSTM quantizes the states of
all samples together. Not supported, each an error of the node: caches that share a buffer with their result, quantized caches, beams, and
weights in the layout of a processor. SimplifiedLayerNormalization, which onnxruntime has in the default set, is above.

| operator | types |
|---|---|
`

const introRefused = `
## Not supported

All other operators of the default set are supported in all versions. Other operators of other sets are functions of the model, or errors.
Inputs and outputs of the model that are sequences, optional values or strings are errors.

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
