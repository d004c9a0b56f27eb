package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// TestRecord: a new sweep replaces sweeps that it covers on the same processor, and sweeps of an older form of the
// function.
func TestRecord(t *testing.T) {
	both := swept{op: ir.OpExp, quick: 1, engines: "avx512,avx2", cpu: "A, family 1, model 2"}
	other := swept{op: ir.OpExp, quick: 1, engines: "avx512,avx2", cpu: "B"}
	loops := swept{op: ir.OpExp, quick: 1, engines: "avx512,portable", cpu: "B"}
	fast := swept{op: ir.OpExp, fast: true, quick: 3, engines: "avx512,avx2", cpu: "B"}
	var s record
	for _, o := range []swept{fast, loops, other, both, both} {
		s = s.with(o)
	}
	require.Equal(t, record{both, other, loops, fast}, s)
	read, err := parseRecord(s.String())
	require.NoError(t, err)
	require.Equal(t, s, read)
	every := swept{op: ir.OpExp, quick: 1, engines: "avx512,avx2,portable", cpu: "B"}
	require.Equal(t, record{both, every, fast}, s.with(every))
	changed := swept{op: ir.OpExp, quick: 2, engines: "avx512,avx2", cpu: "B"}
	require.Equal(t, record{changed, fast}, s.with(changed))
	require.Equal(t, record{changed}, s.with(changed).of(table{{op: ir.OpExp, dtype: ir.Float32, quick: 2}}))
	_, err = parseRecord("exp default 12 avx2")
	require.ErrorContains(t, err, "4 fields")
	_, err = parseRecord("exq default 12 avx2 A")
	require.ErrorContains(t, err, "no such function")
}

// TestSwept: the committed record is for the current functions, and the page shows it.
func TestSwept(t *testing.T) {
	s, err := readRecord("../..")
	require.NoError(t, err)
	require.NotEmpty(t, s)
	require.Equal(t, s, s.of(committedTable(t)), "sweep what has changed: go run ./cmd/ulp -sweep -op")

	page, err := os.ReadFile("../../" + sweptPage)
	require.NoError(t, err)
	before, _, ok := strings.Cut(string(page), sweptHeading)
	require.True(t, ok)
	want := before + s.section(committedTable(t))
	if *update {
		page = []byte(want)
		require.NoError(t, os.WriteFile("../../"+sweptPage, page, 0o644))
	}
	require.Equal(t, want, string(page), "go test ./cmd/ulp -run Swept -update writes it")
}
