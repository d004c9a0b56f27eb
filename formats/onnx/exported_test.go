package onnx_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/onnx"
)

// TestExported loads small models with what exporters and onnxruntime write, without options, and compares with the results of
// onnxruntime: sizes without names, arithmetic of sizes, operands of all kinds.
func TestExported(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.npz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == "ml" { // for TestML
			continue
		}
		name := strings.TrimSuffix(file, ".npz")
		t.Run(filepath.Base(name), func(t *testing.T) {
			p, err := onnx.Load(name + ".onnx")
			require.NoError(t, err)
			ins, want := feeds(t, file)
			for in := range ins {
				if !slices.Contains(p.Inputs(), in) {
					delete(ins, in)
				}
			}
			for range 2 { // the second run finds what the first one built
				got, err := p.Run(context.Background(), ins)
				require.NoError(t, err)
				for name, w := range want {
					onnx.RequireClose(t, name, w, got[name])
				}
			}
		})
	}
}
