package schedule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestFewPatterns: of a tree of masks, whose parts are hundreds of patterns for each of its ops, PatternsTried are looked
// up for each op at most: for half of the ops, which compare, a single one.
func TestFewPatterns(t *testing.T) {
	const inputs, leaves = 12, 128
	in, access, buffers := make([]string, inputs), "", ""
	for i := range in {
		in[i] = fmt.Sprintf("u%d:f32", i)
		access += fmt.Sprintf("%%%d{100,1}+0 ", i)
		buffers += fmt.Sprintf("  %%%d = param x%d %d : f32[10,100]\n", i, i, i)
	}
	var body []string
	for i := range leaves {
		body = append(body, fmt.Sprintf("t%d = lt u%d u%d;", i, i%inputs, (i%inputs+1+i/inputs)%inputs))
	}
	for i := 0; len(body) < 2*leaves-1; i += 2 {
		body = append(body, fmt.Sprintf("t%d = and t%d t%d;", len(body), i, i+1))
	}
	p, err := plan.ParsePlan(fmt.Sprintf("plan f arena=0 {\n%s  %%%d = result \"\" 0 : bool[10,100]\n  step 0 [10,100]\n    kernel (%s) { %s store t%d }\n    %s-> %%%d{100,1}+0\n}\n",
		buffers, inputs, strings.Join(in, ", "), strings.Join(body, " "), len(body)-1, access, inputs))
	require.NoError(t, err)
	lookups := 0
	_, err = Schedule(p, tuning.Default(1), library(func(signature string) string {
		lookups++
		return singles(signature)
	}), Options{})
	require.NoError(t, err)
	require.Less(t, lookups, len(body)*tuning.Default(1).PatternsTried/2)
}
