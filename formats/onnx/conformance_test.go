package onnx

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// conformanceEnv names a folder of test cases; testdata/conformance has a few. Its README.md describes their origin and
// form.
const conformanceEnv = "STRIDEFUSE_CONFORMANCE"

// verdict is the outcome of a case: "" if it passed, or why the model is not supported.
type verdict struct {
	group, op, unsupported string
	totals
}

// totals sums up what programs consist of.
type totals struct{ nodes, kernels, copies, moved, least int }

// accepted are parts of errors for which a case of another folder may be unsupported. No case in testdata may be.
var accepted = []string{
	randomNumbers, stringElements, refused["ImageDecoder"], refused["MaxRoiPool"],
	"element type sequence", "element type optional", "element type string", "element type complex", // inputs and outputs of the model
	"of the domain ai.onnx.ml", "of the domain ai.onnx.preview", // other operator sets
	"what is dropped would be random", "disputed",
}

// disputed are cases whose expected results differ from the text of the specification and from onnxruntime.
var disputed = map[string]string{
	"test_maxunpool_export_with_output_shape":            "it expects indices of the least output, not of the given one",
	"test_resize_downsample_scales_cubic_align_corners":  "it expects the extent before it is rounded down as length_resized",
	"test_resize_downsample_scales_linear_align_corners": "it expects the extent before it is rounded down as length_resized",
}

// roundedByHand lists cases whose expected numbers have few digits. They are compared with ONNX's own tolerance.
var roundedByHand = map[string]bool{
	"test_averagepool_2d_ceil_last_window_starts_on_pad": true, "test_gridsample_bicubic": true,
	"test_roialign_aligned_false": true, "test_roialign_aligned_true": true,
}

// TestConformance runs the ONNX project's test cases. A wrong answer fails; unsupported cases are counted, with the
// reason.
func TestConformance(t *testing.T) {
	dir, may := os.Getenv(conformanceEnv), accepted
	if dir == "" {
		dir, may = filepath.Join("testdata", "conformance"), nil
	}
	manifests, err := filepath.Glob(filepath.Join(dir, "*", "manifest.json"))
	require.NoError(t, err)
	require.NotEmpty(t, manifests, "no cases in %s", dir)
	var verdicts []verdict
	for _, file := range manifests {
		var group manifest
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &group))
		for _, c := range group.Tests {
			c.dir = filepath.Join(filepath.Dir(file), c.Name)
			t.Run(group.Group+"/"+c.Name, func(t *testing.T) {
				v := verdict{group: group.Group, op: c.Op}
				v.unsupported, v.totals = c.run(t)
				verdicts = append(verdicts, v)
				if v.unsupported != "" && !slices.ContainsFunc(may, func(why string) bool { return strings.Contains(v.unsupported, why) }) {
					t.Errorf("not supported: %s", v.unsupported)
				}
			})
		}
	}
	t.Log(report(verdicts))
}

// run runs a case, and returns why it is not supported, or "" and the totals of its program.
func (c *testCase) run(t *testing.T) (unsupported string, of totals) {
	if why := disputed[c.Name]; why != "" {
		return "disputed: " + why, of
	}
	inputs := c.tensors(t, c.Inputs)
	m, err := c.model(t)
	if err != nil {
		return err.Error(), of
	}
	p, err := compile(m, newSettings(nil))
	if err != nil { // inputs that may be needed at load
		p, err = compile(m, newSettings(c.small(inputs)))
	}
	if err != nil {
		return err.Error(), of
	}
	given := map[string]*graph.Tensor{}
	for _, name := range p.Inputs() {
		given[name] = inputs[name]
	}
	got, err := p.Run(context.Background(), given)
	if err != nil {
		return err.Error(), of
	}
	for name, want := range c.tensors(t, c.Outputs) {
		if roundedByHand[c.Name] {
			requireWithin(t, name, want, got[name], 1e-3)
		} else {
			RequireClose(t, name, want, got[name])
		}
	}
	moved, least := p.Graph().Traffic()
	return "", totals{len(c.Nodes), len(p.Graph().Kernels()), p.Graph().Copies(), moved, least}
}

// mostFixed is the most elements of an input that is given at load.
const mostFixed = 16

// small returns the options that give the small integer inputs at load.
func (c *testCase) small(inputs map[string]*graph.Tensor) (options []Option) {
	for _, in := range c.Inputs {
		if t := inputs[in.Name]; t.Size() <= mostFixed && t.Rank() <= 1 {
			options = append(options, Fix(in.Name, t))
		}
	}
	return options
}

// report counts the verdicts for each group and operator.
func report(verdicts []verdict) string {
	var b strings.Builder
	passed := map[string]int{}
	all := map[string]int{}
	reasons := map[string]map[string]int{}
	sums := map[string]totals{}
	for _, v := range verdicts {
		sum := sums[v.group]
		sums[v.group] = totals{sum.nodes + v.nodes, sum.kernels + v.kernels, sum.copies + v.copies, sum.moved + v.moved, sum.least + v.least}
		for _, key := range []string{v.group, v.group + " " + v.op} {
			all[key]++
			if v.unsupported == "" {
				passed[key]++
			} else {
				if reasons[key] == nil {
					reasons[key] = map[string]int{}
				}
				reasons[key][v.unsupported]++
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		group, op, _ := strings.Cut(key, " ")
		if op == "" {
			sum := sums[group]
			fmt.Fprintf(&b, "\n%-14s %d of %d passed, %d unsupported; the programs have %d nodes, %d kernels and %d copies, and move %d bytes of the least possible %d",
				group, passed[key], all[key], all[key]-passed[key], sum.nodes, sum.kernels, sum.copies, sum.moved, sum.least)
			continue
		}
		fmt.Fprintf(&b, "\n    %-28s %d of %d passed", op, passed[key], all[key])
		for _, why := range slices.Sorted(maps.Keys(reasons[key])) {
			fmt.Fprintf(&b, "\n        unsupported %d: %s", reasons[key][why], strings.ReplaceAll(why, "\n", "; "))
		}
	}
	return b.String()
}
