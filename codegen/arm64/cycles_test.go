package arm64

import (
	"flag"
	"fmt"
	"maps"
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

var gxx = flag.String("gxx", "", "g++ for aarch64: TestLoops compares its loops")

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
			cycles := cyclesOf(t, cpu, text)
			fma := strings.Count(strings.Join(text, "\n"), "fmla")
			bound := float64(fma) / rate
			t.Logf("%s, %s, %s: %d instructions, %d multiplications, %.2f cycles, bound %.0f", c.signature, c.loop, cpu, len(text), fma, cycles, bound)
			require.LessOrEqual(t, cycles, bound/0.9)
		}
	}
}

// cyclesOf returns the cycles of an iteration of a loop.
func cyclesOf(t *testing.T, cpu string, text []string) float64 {
	const times = 1000
	cmd := exec.Command(*mca, "-mtriple=aarch64", "-mcpu="+cpu, "-iterations="+strconv.Itoa(times))
	cmd.Stdin = strings.NewReader(strings.Join(text, "\n"))
	out, err := cmd.Output()
	require.NoError(t, err)
	found := regexp.MustCompile(`Total Cycles:\s+(\d+)`).FindStringSubmatch(string(out))
	require.NotNil(t, found)
	cycles, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return cycles / times
}

// TestLoops prints a table of inner loops beside those that g++ makes of bench/peers/counted.cpp: instructions, and cycles by llvm-mca, for
// a vector of results, of reduced elements or of multiplications.
func TestLoops(t *testing.T) {
	if *mca == "" || *gxx == "" {
		t.Skip("no -mca and -gxx")
	}
	out, err := exec.Command(*gxx, "-O3", "-march=armv8-a", "-S", "-o", "-", "../../bench/peers/counted.cpp").Output()
	require.NoError(t, err)
	var table strings.Builder
	cpus := slices.Sorted(maps.Keys(fmaPerCycle))
	table.WriteString("| loop | instructions | " + strings.Join(cpus, " | ") + " |\n")
	for _, c := range []struct {
		name, signature, label, function string
		per                              *regexp.Regexp // what an iteration is divided by: its vectors
		operands                         int            // vectors loaded for one of them, if it matches loads
	}{
		{"a + b", "kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }", "loop", "add", stored, 1},
		{"five operations", "kernel (u0:f32, u1:f32, u2:f32, s3:f32) { t0 = mul u0 u1; t1 = add t0 u2; t2 = mul u0 t1; t3 = abs u2; t4 = add s3 t3; t5 = div u1 t4; t6 = sub t2 t5; store t6 }", "loop", "chain", stored, 1},
		{"scaled columns", "kernel (u0:f32, u1:f32, u2:f32, u3:f32, u4:f32) { t0 = sub u0 u1; t1 = mul t0 u2; t2 = mul t1 u3; t3 = add t2 u4; store t3 }", "loop", "scaled", stored, 1},
		{"outer product", "kernel (u0:f32, s1:f32, u2:f32) { t0 = mul u0 s1; t1 = add u2 t0; store t1 }", "loop", "outer", stored, 1},
		{"product of rows", "kernel (u0:f32, u1:f32) { t0 = mul u0 u1; store t0 }", "loop", "strided", stored, 1},
		{"sum of a row", "reduce [add] kernel (u0:f32) { store u0 }", "loop", "sum", loaded, 1},
		{"squared differences", "reduce [add] kernel (u0:f32, u1:f32) { t0 = sub u0 u1; t1 = mul t0 t0; store t1 }", "loop", "squares", loaded, 2},
		{"maximum of a row", "reduce [max] kernel (u0:f32) { store u0 }", "loop", "maxRows", loaded, 1},
		{"sums of columns", "reduce_columns add kernel (u0:f32) { store u0 }", "lane0", "sumColumns", added, 1},
		{"product of matrices", "dot f32", "by4x6Pair", "product", multiplied, 1},
	} {
		code, err := kernel.ParseCode(c.signature)
		require.NoError(t, err)
		p, err := NEON().Program(code)
		require.NoError(t, err)
		ours, theirs := loopText(t, p, c.label), hottest(string(out), c.function)
		require.NotEmpty(t, theirs, c.function)
		vectors := func(text []string) float64 {
			n := 0
			for _, m := range c.per.FindAllString(strings.Join(text, "\n"), -1) {
				n++
				if strings.Contains(m, "p\t") || strings.Contains(m, "p ") { // ldp, stp
					n++
				}
				if strings.HasPrefix(m, "ld1") {
					n += 3
				}
			}
			return float64(n) / float64(c.operands)
		}
		require.Positive(t, vectors(ours), c.name)
		require.Positive(t, vectors(theirs), c.name)
		table.WriteString("| " + c.name)
		add := func(n func(text []string) float64) {
			table.WriteString(fmt.Sprintf(" | %.2f, %.2f", n(ours)/vectors(ours), n(theirs)/vectors(theirs)))
		}
		add(func(text []string) float64 { return float64(len(text)) })
		for _, cpu := range cpus {
			add(func(text []string) float64 { return cyclesOf(t, cpu, text) })
		}
		table.WriteString(" |\n")
	}
	t.Log("ours, g++\n" + table.String())
}

// What TestLoops counts.
var (
	stored     = regexp.MustCompile(`st[rp]\sq`)
	loaded     = regexp.MustCompile(`ld[rp]\sq|ld1\s`)
	added      = regexp.MustCompile(`fadd\sv`)
	multiplied = regexp.MustCompile(`fmla\sv`)
)

// hottest returns the innermost loop with the most vector instructions of a function of g++'s assembly.
func hottest(assembly, function string) (text []string) {
	_, assembly, _ = strings.Cut(assembly, "\n_ZL"+strconv.Itoa(len(function))+function)
	assembly, _, _ = strings.Cut(assembly, ".size")
	var label string
	var body []string
	most := 0
	for line := range strings.Lines(assembly) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasSuffix(line, ":"):
			label, body = strings.TrimSuffix(line, ":"), nil
		case strings.HasPrefix(line, "."):
		default:
			body = append(body, line)
			if !strings.HasPrefix(line, "b") || !strings.HasSuffix(line, label) || label == "" {
				continue
			}
			body[len(body)-1] = "b.ne #-64"
			if n := strings.Count(strings.Join(body, "\n"), ".4s"); n > most {
				most, text = n, body
			}
			label, body = "", nil
		}
	}
	return text
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
