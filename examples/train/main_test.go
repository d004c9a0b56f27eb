package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() { portable.Register() } // a program with assembly does not link these loops

// TestOutput compares the end of the output with a text: training has the same bits on every machine.
func TestOutput(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	require.Contains(t, out.String(), `epoch  5: loss of the last batch 0.0814, 342 of 360 held-out digits are read right
`)
	require.Contains(t, out.String(), `epoch 20: loss of the last batch 0.0174, 353 of 360 held-out digits are read right
rows are digits 0 to 9, columns what they are read as: int64[10,10]
[[49  0  0  0  1  0  0  0  0  0]
 [ 0 34  0  0  0  0  0  0  0  0]
 [ 0  1 32  0  0  0  0  0  0  0]
 [ 0  0  0 33  0  0  0  1  0  0]
 [ 0  0  0  0 38  0  1  0  0  0]
 [ 0  0  0  0  0 34  0  0  0  0]
 [ 0  0  0  0  0  0 32  0  0  0]
 [ 0  0  0  0  0  0  0 44  0  0]
 [ 0  2  0  0  0  0  0  0 27  0]
 [ 0  0  0  1  0  0  0  0  0 30]]
`)
}
