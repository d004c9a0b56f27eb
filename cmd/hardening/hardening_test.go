//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestTexts is a short attack on the texts; go run ./cmd/hardening makes a long one.
func TestTexts(t *testing.T) {
	report, err := attackTexts(1, 1500)
	require.NoError(t, err)
	for _, a := range report {
		require.Empty(t, a.failures, a.name)
		require.NotZero(t, a.ran, a.name)
	}
}

// requireHostile requires that a text does not verify, with an error that contains want, or that it verifies if want is
// empty.
func requireHostile[P verifiable](t *testing.T, parse func(text string) (P, error), text, want string) {
	p, err := parse(text)
	if err == nil {
		err = p.Verify()
	}
	if want == "" {
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, want, text)
	}
}

// TestHostilePlans has plans that once read foreign memory or never ended.
func TestHostilePlans(t *testing.T) {
	const chain = `plan p arena=0 {
  %0 = param x 0   : f32[4] {4}:{1}+0
  %1 = result "" 0 : f32[4]
  step 0 [2,2]
    kernel (u0:f32) { t0 = neg u0; store t0 }
    %0{2,1}+0 -> %1{2,1}+0
  rows first=0 last=0 outer=[2] along=[0] block=2 scratch=0
}
`
	for _, c := range []struct{ old, new, want string }{
		{"{1}+0\n", "{1}+0\n", ""},
		{"{4}:{1}+0", "{4}:{1}+9223372036854775805", "passes int"},
		{"{4}:{1}+0", "{4}:{4611686018427387904}+0", "passes int"},
		{"{4}:{1}+0", "{4}:{1}-1", "before the buffer"},
		{"%0{2,1}+0", "%0{2,1}+9223372036854775805", "passes int"},
		{"%0{2,1}+0", "%0{2,4611686018427387904}+0", "passes int"},
		{"block=2", "block=4294967296", "no block"},
		{"outer=[2]", "outer=[9223372036854775807,30]", "no rows"},
		{"scratch=0", "scratch=9223372036854775807", "at most"},
		{"step 0 [2,2]", "step 0 [4294967296,4294967296]", "product within int"},
	} {
		requireHostile(t, plan.ParsePlan, strings.Replace(chain, c.old, c.new, 1), c.want)
	}
}

// TestHostileNests has schedules that once overflowed or never ended.
func TestHostileNests(t *testing.T) {
	const neg = `nest n arena=0 {
  %0 = param x 0   : f32[64] {64}:{1}+0
  %1 = result "" 0 : f32[64]
  task 0 steps=0..0 scratch=0 work=640 elems=64 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [8/8,8/1] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=of(0) cols=1
        $0{64,1}+0/8 -> $1{64,1}+0/8
    }
  }
}
`
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"[8/8,8/1]", "[4294967296/1,4294967296/1]", "pass int"},
		{"[8/8,8/1]", "[9223372036854775807/30,30/1]", "pass int"},
		{"[8/8,8/1]", "[9223372036854775807/1,8/1]", "int"},
		{"{64}:{1}+0", "{64}:{1}+9223372036854775800", "passes int"},
		{"$0{64,1}+0/8", "$0{64,1}+9223372036854775807/8", "pass int"},
		{"$0{64,1}+0/8", "$0{64,1}+0/4611686018427387904", "pass int"},
		{"$0{64,1}+0/8", "$0{64,1}+1/8", "outside the slot"},
		{"arena=0", "arena=-64", "below 0"},
		{"scratch=0", "scratch=-9223372036854775808", "below 0"},
	} {
		requireHostile(t, nest.Parse, strings.Replace(neg, c.old, c.new, 1), c.want)
	}
}
