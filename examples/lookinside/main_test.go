package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/output.txt")

func TestOutput(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	// The engine is the machine's, and so is how far the text after it is.
	got := regexp.MustCompile(`(avx2|portable)(.*?) +//`).ReplaceAllString(out.String(), "ENGINE$2 //")
	if *update {
		require.NoError(t, os.WriteFile("testdata/output.txt", []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/output.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), got, "after a change that is meant, run: go test ./examples/lookinside -update")
}
