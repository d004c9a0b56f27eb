package onnx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/onnx"
)

// TestNormalized checks which normalizations are part of a product with constant weights: not that of
// an input, nor that of a product which is read elsewhere. TestLoad compares the numbers.
func TestNormalized(t *testing.T) {
	p, err := onnx.Load("testdata/normalized.onnx")
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, p.Graph().Dump(&text, "graph"))
	require.Equal(t, 2, strings.Count(text.String(), " = div "), text.String())
}
