package passes

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/form"
	"github.com/stridefuse/stridefuse/passes/rewrite"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"
)

var (
	onlyPass = flag.String("pass", "", "of TestPassKeepsMeaning: run this pass only")
	long     = flag.Bool("long", false, "of TestPassKeepsMeaning: evaluate large golden files too")
)

// TestPassKeepsMeaning checks each pass on its own: the states before and after it must evaluate to the same bits.
// The states are the pass's golden files and random graphs rewritten by the earlier passes. Inputs are special, eval.Specials,
// and for small files and graphs also random. The test fails if nothing makes the pass change a state.
//
// Someone who works on one pass runs it in seconds:
//
//	go test ./passes -run PassKeepsMeaning -pass pieces -rapid.checks 1000
func TestPassKeepsMeaning(t *testing.T) {
	for k, p := range Default {
		if *onlyPass != "" && p.Name != *onlyPass {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			changed := 0
			compare := func(t require.TestingT, s *State, m *tuning.Machine, inputs []eval.Array) {
				before := s.String()
				want, wrong := evaluated(s, inputs)
				if wrong != nil { // a random index was out of range
					want, wrong = evaluated(s, smallIntegers(inputs))
				}
				require.NoError(t, run(s, p, m), before)
				if len(s.Func.Body) > 0 { // otherwise the text was a plan
					require.NoError(t, verify(s, p), "%s\nfrom\n%s", s, before)
				}
				if s.String() == before {
					return
				}
				changed++
				got, err := evaluated(s, inputs)
				if wrong != nil { // a constant index is out of range for every input
					require.Error(t, err, "%s\nfrom\n%s", s, before)
					return
				}
				require.NoError(t, err, "%s\nfrom\n%s", s, before)
				require.Empty(t, irtest.Diff(want, got), "%s\nfrom\n%s", s, before)
			}
			for _, text := range goldensOf(t, p.Name) {
				golden := func(t require.TestingT, draw func(s *State) []eval.Array) {
					s := stateOf(t, text)
					if p.Name == "loops" { // its files start before fuse, because groups have no text
						require.NoError(t, form.Fuse(s))
					}
					compare(t, s, tuning.Default(1), draw(s))
				}
				switch elems := elemsOf(stateOf(t, text)); {
				case *long || elems <= smallElems:
					for turn := range 4 {
						golden(t, func(s *State) []eval.Array { return specialInputs(s, turn) })
					}
					rapid.Check(t, func(t *rapid.T) {
						golden(t, func(s *State) []eval.Array { return inputsOf(t, s) })
					})
				case elems <= mostElems:
					golden(t, func(s *State) []eval.Array { return specialInputs(s, 1) })
				default:
					require.NoError(t, run(stateOf(t, text), p, tuning.Default(1)))
					changed++ // as its golden file shows
				}
			}
			rapid.Check(t, func(t *rapid.T) {
				cfg := irtest.Config{Layouts: true, Reductions: true, Products: 8}
				if rapid.Bool().Draw(t, "products") { // few types, so that products read one another
					cfg = irtest.Config{Layouts: true, Products: 2, DTypes: ir.SetOf(ir.Float32, ir.Int32)}
				}
				f, inputs := irtest.Func(t, cfg)
				small := rapid.Bool().Draw(t, "small")
				s, m := &State{State: rewrite.State{Func: f, Eager: small}}, machine(small)
				for _, earlier := range Default[:k] {
					require.NoError(t, run(s, earlier, m))
				}
				if len(s.Func.Body) > 0 {
					compare(t, s, m, inputs)
				}
			})
			require.Positive(t, changed, "no text and no random graph is changed by the pass")
		})
	}
}

// goldensOf returns the first text of each golden file of a pass: the state before it.
func goldensOf(t *testing.T, pass string) (texts []string) {
	files, err := filepath.Glob("testdata/" + pass + "*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "_")
		if name != pass {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(txtar.Parse(text).Files[0].Data))
	}
	return texts
}

// stateOf parses a graph or a plan.
func stateOf(t require.TestingT, text string) *State {
	s := &State{State: rewrite.State{Func: &ir.Func{}}}
	var err error
	if strings.HasPrefix(text, "plan") {
		s.Plan, err = plan.ParsePlan(text)
		require.NoError(t, err)
		for _, b := range s.Plan.Buffers {
			if b.Kind == plan.ParamBuffer {
				s.Func.Param(b.Name, ir.Type{DType: b.DType, Shape: ir.ShapeOf(b.Shape...)}, nil)
			}
		}
	} else {
		s.Func, err = ir.Parse(text)
	}
	require.NoError(t, err)
	s.Frozen = map[*ir.Value]bool{}
	for _, p := range s.Func.Params {
		s.Frozen[p] = strings.HasPrefix(p.Name(), "const") // package graph names constants so
	}
	return s
}

// smallElems and mostElems are sizes of states that can be evaluated within milliseconds, and within a second.
const smallElems, mostElems = 1 << 14, 1 << 20

// elemsOf returns the number of elements that a state computes.
func elemsOf(s *State) (elems int) {
	for _, v := range s.Func.Body {
		elems += rewrite.Size(v.Type.Shape)
	}
	if s.Plan != nil {
		for i := range s.Plan.Steps {
			elems += plan.Indices(s.Plan.Steps[i].Axes)
		}
	}
	return elems
}

// specialInputs returns zeros, NaN, infinities, extremes and the like for a state.
func specialInputs(s *State, turn int) (inputs []eval.Array) {
	for i, p := range s.Func.Params {
		inputs = append(inputs, eval.SpecialArray(p.Type.DType, turn+i, rewrite.Extents(p)...))
	}
	return inputs
}

// inputsOf draws inputs for a state.
func inputsOf(t *rapid.T, s *State) (inputs []eval.Array) {
	for _, p := range s.Func.Params {
		inputs = append(inputs, irtest.Array(t, p.Type.DType, rewrite.Extents(p)...))
	}
	return inputs
}

// smallIntegers reduces every integer input, in place, to 0 or 1. An axis of two elements has both as indices.
func smallIntegers(inputs []eval.Array) []eval.Array {
	for _, a := range inputs {
		for i := range a.Data {
			if ir.Ints.Has(a.DType) {
				a.Data[i] &= 1
			}
		}
	}
	return inputs
}

// evaluated evaluates the plan of a state, or its graph if it has no plan.
func evaluated(s *State, inputs []eval.Array) ([]eval.Array, error) {
	if s.Plan == nil {
		return eval.Eval(s.Func, inputs)
	}
	p, err := plan.ParsePlan(s.Plan.String())
	if err != nil {
		return nil, err
	}
	if p.Arena == 0 { // temporaries have no memory yet
		if err := buffers(&State{State: rewrite.State{Func: &ir.Func{}}, Plan: p}); err != nil {
			return nil, err
		}
	}
	return eval.Plan(p, inputs)
}
