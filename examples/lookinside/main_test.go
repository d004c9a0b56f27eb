package main

import (
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite this engine's file in testdata")

func TestOutput(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	// Costs of the schedule depend on the engine, so each engine has its file; AVX2 and AVX-512 share one.
	file := "testdata/output.portable.txt"
	switch {
	case strings.Contains(out.String(), "avx2"):
		file = "testdata/output.avx2.txt"
	case strings.Contains(out.String(), "neon"):
		file = "testdata/output.neon.txt"
		if runtime.GOOS != "linux" {
			t.Skip("the file is of Linux, where programs assemble kernels")
		}
	}
	got := strings.NewReplacer("avx2+avx512", "avx2", "avx512", "avx2").Replace(out.String())
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "after a change that is meant, run: go test ./examples/lookinside -update")
}
