package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/output.txt")

func TestOutput(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	got := strings.NewReplacer("portable", "ENGINE", "avx2", "ENGINE").Replace(out.String()) // the machine's
	if *update {
		require.NoError(t, os.WriteFile("testdata/output.txt", []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), got, "after a change that is meant, run: go test ./examples/lookinside -update")
}
