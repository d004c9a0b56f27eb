package onnx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestPosOfNode(t *testing.T) {
	for _, c := range []struct{ name, want string }{{"/layer1/layer1.0/conv 1/Conv", "m.onnx/layer1.layer1.0.conv_1.Conv"}, {"", "m.onnx/Conv"}, {"\n//", "m.onnx/_"}, {"..", "m.onnx/Conv"}, {"/", "m.onnx/Conv"}} {
		require.Equal(t, graph.Pos{File: c.want, Line: 3}, (&node{name: c.name, op: "Conv", number: 3}).pos("m.onnx"), "%q", c.name)
	}
}
