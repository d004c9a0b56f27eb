package nest_test

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// checkText parses a text: what parses prints, and prints the same when parsed again.
func checkText(t testing.TB, text string) *nest.Program {
	p, err := nest.Parse(text)
	if err != nil {
		return nil
	}
	printed := p.String()
	require.Equal(t, printed, parse(t, printed).String())
	return p
}

func TestParseErrors(t *testing.T) {
	base := string(programs(t)["pack"].Files[1].Data)
	for _, c := range []struct{ old, new, want string }{
		{"nest double", "plan double", `1:1: found "plan", want "nest"`},
		{"task 0", "task 1", `4:8: found 1, want 0`},
		{"# step 0", "# step 1", `5:12: found 1, want 0`},
		{"$1 = buffer", "$2 = buffer", `9:6: found 2, want 1`},
		{"$1 = buffer", "$1 = heap", `9:10: found "heap", want buffer, scratch, table or bytes`},
		{"work=9600", "work=many", `found "many", want a constant`},
		{"call pack u32", "call peck u32", `no micro-kernel has the name "peck"`},
		{"call pack u32", "call pack f32", `pack is not made for float32`},
		{"across=384", "along=384", `the fields are ["along"], the kernel has ["across"]`},
		{" across=384", "", `the fields are [], the kernel has ["across"]`},
		{"rows=of(0)", "rows=of(-1)", `a loop has no number below 0`},
		{"$0{35}+0/1 ->", "->", `0 inputs, the kernel has 1`},
		{"[96/35]", "[96]", `found "]", want "/"`},
		{"scratch 64 : f32[3500]", "table 1.5 : i32[3]", `1.5 is not an element of int32`},
		{"part [96/35] {", "part [96/35] {\n" + strings.Repeat("for [] {\n", 70), `more than 64 nests in each other`},
	} {
		require.Contains(t, base, c.old)
		_, err := nest.Parse(strings.Replace(base, c.old, c.new, 1))
		require.ErrorContains(t, err, c.want, c.new)
		var e *ir.ParseError
		require.ErrorAs(t, err, &e)
	}
}

// TestParseCuts parses every beginning of the programs, and each with a byte changed.
func TestParseCuts(t *testing.T) {
	for _, a := range programs(t) {
		text := string(a.Files[1].Data)
		for i := range text {
			checkText(t, text[:i])
			for _, c := range "\x00\n]9" {
				checkText(t, text[:i]+string(c)+text[i+1:])
			}
		}
	}
}

func FuzzText(f *testing.F) {
	for _, a := range programs(f) {
		f.Add(string(a.Files[1].Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p := checkText(t, text); p != nil {
			_ = p.Verify()
		}
	})
}

var number = regexp.MustCompile(`\b[0-9]+\b`)

// TestVerifiedRuns changes numbers of programs at random. One that still verifies must
// run without an error, to the same results in any order.
func TestVerifiedRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	verified, changed := 0, 0
	for name, a := range programs(t) {
		base := string(a.Files[1].Data)
		begin := strings.Index(base, "  task 0")
		for range 20 {
			text := base
			for range 1 + random.IntN(2) {
				text = changeNumber(random, text, begin)
			}
			p := checkText(t, text)
			if p == nil || p.Verify() != nil {
				continue
			}
			verified++
			if text != base {
				changed++
			}
			var inputs [][]uint64
			for _, b := range p.Buffers {
				if b.Kind != plan.ParamBuffer {
					continue
				}
				in := make([]uint64, b.Size())
				for i := range in {
					in[i] = ir.FromFloat(b.DType, random.Float64())
				}
				inputs = append(inputs, in)
			}
			want, err := nest.Eval(p, inputs)
			require.NoError(t, err, "%s\n%s", name, text)
			got, err := nest.Eval(p, inputs, nest.Shuffled(random.Uint64()))
			require.NoError(t, err)
			require.Equal(t, want, got, "%s\n%s", name, text)
		}
	}
	t.Logf("%d programs verified, %d of them changed", verified, changed)
	require.NotZero(t, changed)
}

// changeNumber replaces a number behind a place by another that is not much greater.
func changeNumber(random *rand.Rand, text string, begin int) string {
	all := number.FindAllStringIndex(text[begin:], -1)
	at := all[random.IntN(len(all))]
	n, err := strconv.Atoi(text[begin+at[0] : begin+at[1]])
	if err != nil {
		return text
	}
	n = []int{0, 1, n - 1, n + 1, n / 2, 2 * n}[random.IntN(6)]
	return text[:begin+at[0]] + strconv.Itoa(n) + text[begin+at[1]:]
}
