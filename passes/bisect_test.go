package passes

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"pgregory.net/rapid"
)

// TestRewritesOneByOne checks what Bisect depends on: a graph still computes the same bits if a pass stops after any
// number of rewrites.
func TestRewritesOneByOne(t *testing.T) {
	partial := 0
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{Layouts: true, Reductions: true, Products: 12})
		want, err := eval.Eval(f, inputs)
		require.NoError(t, err)
		b := &bisection{list: Default, f: f, options: Options{Machine: tuning.Default(1)}}
		n := rapid.IntRange(1, len(Default)).Draw(t, "pass")
		all, err := b.state(n, math.MaxInt)
		require.NoError(t, err)
		if all.Fuel.Used == 0 {
			return
		}
		partial++
		s, err := b.state(n, rapid.IntRange(0, all.Fuel.Used-1).Draw(t, "rewrites"))
		require.NoError(t, err)
		got, err := eval.Eval(s.Func, inputs)
		require.NoError(t, err, "%s", s)
		sameBits(t, want, got, Default[n-1].Name+"\n"+s.String())
	})
	require.Positive(t, partial)
}

// chain is a graph of several values, each from its own line of the user's source.
const chain = `func chain(%x: f32[4], %y: f32[4]) {
  %0 = add %x, %y : f32[4] // user.go:1
  %1 = mul %0, %y : f32[4] // user.go:2
  %2 = sub %1, %y : f32[4] // user.go:3
  %3 = div %2, %1 : f32[4] // user.go:4
  %4 = exp %3 : f32[4] // user.go:5
  %5 = sub %1, %1 : f32[4] // user.go:6
  %6 = add %5, %4 : f32[4] // user.go:7
  %7 = mul %6, %y : f32[4] // user.go:8
  %8 = neg %7 : f32[4] // user.go:9
  return %8
}`

// swapped is a faulty pass: it rewrites x - y to y - x.
var swapped = Pass{Name: "swapped", Form: func(s *State) error {
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if v.Op == ir.OpSub {
			v.Args = []*ir.Value{v.Args[1], v.Args[0]}
		}
		return v, nil
	})
}}

// bisectChain runs Bisect on chain.
func bisectChain(t *testing.T, list []Pass) *Culprit {
	f, err := ir.Parse(chain)
	require.NoError(t, err)
	inputs := []eval.Array{floats(1, 2, 3, 4), floats(5, 0.5, 2, 8)}
	want, err := eval.Eval(f, inputs)
	require.NoError(t, err)
	c, err := Bisect(list, f, Options{}, func(s *State) (bool, error) {
		got, err := eval.Eval(s.Func, inputs)
		if s.Plan != nil {
			got, err = eval.Plan(s.Plan, inputs)
		}
		return err == nil && slices.Equal(got[0].Data, want[0].Data), err
	})
	require.NoError(t, err)
	return c
}

func floats(values ...float64) eval.Array {
	a := eval.Array{DType: ir.Float32, Shape: []int{len(values)}}
	for _, v := range values {
		a.Data = append(a.Data, ir.FromFloat(ir.Float32, v))
	}
	return a
}

// TestBisect inserts a faulty pass at each place where the graph can be evaluated. Bisect must find the first value
// whose bits the pass changes, in about log2 of the number of states. The pass does not change x - x.
func TestBisect(t *testing.T) {
	for at := range Default {
		if Default[at].Name == "loops" {
			break
		}
		c := bisectChain(t, slices.Insert(slices.Clone(Default), at, swapped))
		require.Equal(t, "swapped", c.Pass)
		require.Equal(t, 3, c.Rewrite)
		require.Equal(t, ir.OpSub, c.Op)
		require.Equal(t, "user.go:3", c.Pos.String())
		require.Contains(t, c.Before, "sub %1, %y")
		require.Contains(t, c.After, "sub %y, %1")
		require.LessOrEqual(t, c.Tried, bits.Len(uint(len(Default)+1))+bits.Len(9))
	}
	c := bisectChain(t, Default)
	require.Empty(t, c.Pass)
}

// TestBisectPlans inserts a fault that is not a rewrite. Bisect must name the pass.
func TestBisectPlans(t *testing.T) {
	list := slices.Clone(Default)
	i := slices.IndexFunc(list, func(p Pass) bool { return p.Name == "buffers" })
	buffers := list[i].Form
	list[i].Form = func(s *State) error {
		err := buffers(s)
		for i := range s.Plan.Steps {
			s.Plan.Steps[i].In = slices.Clone(s.Plan.Steps[i].In)
			slices.Reverse(s.Plan.Steps[i].In)
		}
		return err
	}
	c := bisectChain(t, list)
	require.Equal(t, "buffers", c.Pass)
	require.Zero(t, c.Rewrite)
	require.True(t, strings.HasPrefix(c.After, "plan chain"))
}
