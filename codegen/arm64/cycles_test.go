package arm64

import (
	"flag"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

var mca = flag.String("mca", "", "the program llvm-mca, of LLVM 19 or later: TestCycles asks it for the cycles of loops")

// fmaPerCycle is the number of vectors that processors multiply in a cycle.
var fmaPerCycle = map[string]float64{"neoverse-n1": 2, "neoverse-v1": 4, "neoverse-v2": 4}

// TestCycles compares the loops of products of whole tiles with the bound that the multiplications are, by llvm-mca's models of processors.
// Loads from the first-level cache are assumed.
func TestCycles(t *testing.T) {
	if *mca == "" {
		t.Skip("no -mca")
	}
	for _, c := range []struct{ signature, loop string }{{"dot f32", "by4x6Pair"}, {"dot f64", "by4x6Pair"}, {"dot f32", "by2x12Pair"}} {
		code, err := kernel.ParseCode(c.signature)
		require.NoError(t, err)
		p, err := NEON().Program(code)
		require.NoError(t, err)
		text := loopText(t, p, c.loop)
		for cpu, rate := range fmaPerCycle {
			const times = 1000
			cmd := exec.Command(*mca, "-mtriple=aarch64", "-mcpu="+cpu, "-iterations="+strconv.Itoa(times))
			cmd.Stdin = strings.NewReader(strings.Join(text, "\n"))
			out, err := cmd.Output()
			require.NoError(t, err)
			found := regexp.MustCompile(`Total Cycles:\s+(\d+)`).FindStringSubmatch(string(out))
			require.NotNil(t, found)
			cycles, err := strconv.ParseFloat(found[1], 64)
			require.NoError(t, err)
			fma := strings.Count(strings.Join(text, "\n"), "fmla")
			bound := float64(fma) / rate
			t.Logf("%s, %s, %s: %d instructions, %d multiplications, %.2f cycles, bound %.0f", c.signature, c.loop, cpu, len(text), fma, cycles/times, bound)
			require.LessOrEqual(t, cycles/times, bound/0.9)
		}
	}
}

// loopText returns the instructions from a label to the jump back to it.
func loopText(t *testing.T, p *Program, loop string) (text []string) {
	first := slices.IndexFunc(p.Lines, func(l Line) bool { return l.Label == loop })
	require.GreaterOrEqual(t, first, 0)
	for _, l := range p.Lines[first+1:] {
		if l.Label != "" || l.Op == OpAlign {
			continue
		}
		i, _, err := l.find()
		require.NoError(t, err)
		if back := len(l.Args) > 0 && l.Args[0].Label == loop; back {
			return append(text, "b.ne #-64")
		}
		text = append(text, i.manual(l.Args))
	}
	require.Fail(t, "no jump back", loop)
	return nil
}
