package graph_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// annexF lists results of methods for special arguments, exact or rounded once: the cases of C23's Annex F, and
// Python's of Mod and FloorDiv. Names in brackets are for the default tier only.
const annexF = `
Acos      1 0, -1 pi, 0 pi/2, -0 pi/2, 1.1 nan, -1.5 nan, inf nan, -inf nan, nan nan
Asin      0 0, -0 -0, 1 pi/2, -1 -pi/2, 1.1 nan, inf nan, -inf nan, nan nan, 0x1p-149 0x1p-149, 0x1p-1074 0x1p-1074
Atan      0 0, -0 -0, inf pi/2, -inf -pi/2, nan nan, 0x1p-149 0x1p-149, 0x1p-1074 0x1p-1074
Cos       0 1, pi -1, -0 1, inf nan, -inf nan, nan nan, 0x1p-149 1
Sin       0 0, -0 -0, inf nan, -inf nan, nan nan, 0x1p-149 0x1p-149, 0x1p-1074 0x1p-1074
Tan       0 0, -0 -0, inf nan, -inf nan, nan nan, -0x1p-149 -0x1p-149, -0x1p-1074 -0x1p-1074
Acosh     1 0, 0.5 nan, 0 nan, -0 nan, -1 nan, -inf nan, inf inf, nan nan
Asinh     0 0, -0 -0, inf inf, -inf -inf, nan nan
Atanh     0 0, -0 -0, 1 inf, -1 -inf, 1.5 nan, 2 nan, -inf nan, inf nan, nan nan
Cosh      0 1, -0 1, inf inf, -inf inf, -1e4 inf, nan nan
Sinh      0 0, -0 -0, inf inf, -inf -inf, 1e4 inf, nan nan
(Sinh)    -0x1p-149 -0x1p-149, -0x1p-1074 -0x1p-1074
Tanh      0 0, -0 -0, inf 1, -inf -1, 30 1, nan nan
(Tanh)    0x1p-149 0x1p-149, 0x1p-1074 0x1p-1074
Exp       0 1, -0 1, inf inf, -inf 0, 1000 inf, -1000 0, nan nan
Exp2      0 1, -0 1, inf inf, -inf 0, nan nan, 10 1024, -149 0x1p-149, 127 0x1p127, -126 0x1p-126
Expm1     0 0, -0 -0, inf inf, -inf -1, 1e4 inf, -1e4 -1, nan nan
(Expm1)   0x1p-149 0x1p-149, 0x1p-1074 0x1p-1074
Log       0 -inf, -0 -inf, 1 0, -1 nan, -0x1p-149 nan, -inf nan, inf inf, nan nan
Log2      0 -inf, -0 -inf, 1 0, -1 nan, -0x1p-149 nan, -inf nan, inf inf, nan nan, 0x1p-149 -149, 0x1p-140 -140
(Log2)    8 3, 0x1p127 127
Log10     0 -inf, -0 -inf, 1 0, -1 nan, -0x1p-149 nan, -inf nan, inf inf, nan nan
(Log10)   1000 3
Log1p     0 0, -0 -0, -1 -inf, -2 nan, -inf nan, inf inf, nan nan
Cbrt      0 0, -0 -0, inf inf, -inf -inf, nan nan, 8 2, -27 -3, 0x1p-147 0x1p-49
Rsqrt     0 inf, -0 -inf, inf 0, -1 nan, -inf nan, nan nan, 4 0.5, 0.25 2
Sqrt      0 0, -0 -0, inf inf, -1 nan
Erf       0 0, -0 -0, inf 1, -inf -1, nan nan
Erfc      0 1, -0 1, inf 0, -inf 2, nan nan
Round     -0 -0, -0.5 -0, 0.5 0, 2.5 2, inf inf
Floor     -0 -0, -0.5 -1, inf inf
Ceil      -0 -0, -0.5 -0, -inf -inf
Trunc     -0 -0, -0.5 -0, -inf -inf
Logit     0 -inf, -0 -inf, 1 inf, 0.5 0, 2 nan, 1.5 nan, -1 nan, -0x1p-100 nan, inf nan, nan nan
Pow       0 -3 inf, -0 -3 -inf, 0 -4 inf, -0 -4 inf, -0 -1.5 inf, 0 -1.5 inf, 0 -inf inf, -0 -inf inf
Pow       0 3 0, -0 3 -0, -0 4 0, -0 1.5 0, 0 inf 0, -0 inf 0, -0 1 -0, -0x1p-149 1 -0x1p-149
Pow       -1 inf 1, -1 -inf 1, 1 nan 1, 1 inf 1, 1 -inf 1, nan 0 1, nan -0 1, inf 0 1, -0 0 1, -1 0 1, 0x1p-149 0 1
Pow       -2 1.5 nan, -0.5 0.5 nan, 0.5 -inf inf, -0.5 -inf inf, 2 -inf 0, -2 -inf 0, 0.5 inf 0, 2 inf inf, -2 inf inf
Pow       -inf -3 -0, -inf -4 0, -inf -1.5 0, -inf 3 -inf, -inf 4 inf, -inf 1.5 inf, -inf inf inf, -inf -inf 0
Pow       inf -1 0, inf 2 inf, inf inf inf, inf -inf 0, nan 1 nan, 2 nan nan, 0 nan nan, -1 nan nan, inf nan nan, nan inf nan
Pow       -8 3 -512, -1 0x1.000002p23 -1, -1 -0x1.000002p23 -1, -1 0x1p24 1
Atan2     0 -0 pi, -0 -0 -pi, 0 0 0, -0 0 -0, 0 -1 pi, -0 -1 -pi, 0 1 0, -0 1 -0, -1 0 -pi/2, -1 -0 -pi/2, 1 0 pi/2, 1 -0 pi/2
Atan2     1 -inf pi, -1 -inf -pi, 1 inf 0, -1 inf -0, inf 1 pi/2, -inf 1 -pi/2, inf -1 pi/2, inf 0 pi/2, inf -0 pi/2
Atan2     inf -inf 3pi/4, -inf -inf -3pi/4, inf inf pi/4, -inf inf -pi/4, 0 -inf pi, -0 -inf -pi, 0 inf 0, -0 inf -0
Atan2     nan 1 nan, 1 nan nan, inf nan nan, nan inf nan, nan 0 nan, 0 nan nan
Hypot     inf nan inf, nan inf inf, -inf nan inf, nan -inf inf, nan 0 nan, 0 nan nan, nan 1 nan, -0 -0 0, -0 0 0, inf inf inf
Hypot     0x1p1023 0x1p1023 0x1.6a09e667f3bcdp1023, 0x1.fffffffffffffp1023 0x1.fffffffffffffp1023 inf
Hypot     3 4 5, 3 -4 5, -3 -0 3, 0x1p127 0 0x1p127, 0 0x1p-149 0x1p-149, 0x1p-149 0 0x1p-149
Rem       0 1 0, -0 1 -0, -0 -1 -0, inf 1 nan, 1 0 nan, 1 -0 nan, 1 inf 1, -1 -inf -1, -0 inf -0, inf inf nan, nan 1 nan, 1 nan nan
Rem       0 0 nan, inf 0 nan, -3 1 -0, 5.5 2 1.5, -5.5 2 -1.5, -4 2 -0, 5 inf 5, 0x1p127 0x1p-149 0
Mod       -1e-20 1 1, -5 inf inf, 5 -inf -inf, 5 inf 5, 5 0 nan, -5.5 2 0.5, 5.5 -2 -0.5, -4 2 0, 4 -2 -0, inf 2 nan
FloorDiv  7 2 3, -7 2 -4, 5 0 inf, -5 0 -inf, 0 0 nan, -5 inf -1, 5 inf 0, -0 2 -0, inf 2 nan, 1 -0x1p20 -1
`

// special is a row of annexF.
type special struct {
	method      string
	both        bool      // both tiers
	x, y, wants []float64 // y is empty for functions of one argument
}

func TestAnnexF(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(annexF), "\n") {
		s := parseSpecial(t, line)
		for _, fast := range []bool{false, true} {
			for _, portable := range []bool{false, true} {
				var options []graph.Item
				if fast && !s.both {
					continue
				}
				if fast {
					options = append(options, graph.WithFast())
				}
				if portable {
					options = append(options, graph.WithDebug(graph.Portable))
				}
				name := fmt.Sprintf("%s, fast %v, portable %v", line, fast, portable)
				checkSpecial[float32](t, name, graph.Float32, s, options)
				checkSpecial[float64](t, name, graph.Float64, s, options)
			}
		}
	}
}

func checkSpecial[T float32 | float64](t *testing.T, name string, dt graph.DType, s special, options []graph.Item) {
	args := []any{}
	var tensors []*graph.Tensor
	for i, list := range [][]float64{s.x, s.y}[:1+min(len(s.y), 1)] {
		args = append(args, graph.Input(string("xy"[i]), dt, graph.Dim("n")))
		tensors = append(tensors, graph.Of(rounded[T](list)))
	}
	in := make([]reflect.Value, len(args)-1)
	for i, a := range args[1:] {
		in[i] = reflect.ValueOf(a)
	}
	out := reflect.ValueOf(args[0]).MethodByName(s.method).Call(in)[0].Interface().(graph.Node)
	p, err := graph.Compile(append(options, out)...)
	require.NoError(t, err)
	got := make([]T, len(s.wants))
	require.NoError(t, p.RunInto(context.Background(), []*graph.Tensor{graph.Of(got)}, tensors...))
	require.Equal(t, signed(rounded[T](s.wants)), signed(got), "%s %s", dt, name)
}

func rounded[T float32 | float64](list []float64) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = T(v)
	}
	return out
}

// signed formats numbers so that -0 differs from 0, and NaN is NaN.
func signed[T float32 | float64](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = strconv.FormatFloat(float64(v), 'x', -1, 64)
	}
	return out
}

func parseSpecial(t *testing.T, line string) special {
	method, cases, _ := strings.Cut(line, " ")
	s := special{method: strings.Trim(method, "()"), both: method[0] != '('}
	for _, c := range strings.Split(cases, ",") {
		f := strings.Fields(c)
		s.x = append(s.x, parseNumber(t, f[0]))
		if len(f) == 3 {
			s.y = append(s.y, parseNumber(t, f[1]))
		}
		s.wants = append(s.wants, parseNumber(t, f[len(f)-1]))
	}
	s.x, s.y, s.wants = slices.Repeat(s.x, 9), slices.Repeat(s.y, 9), slices.Repeat(s.wants, 9) // several vectors and a tail
	return s
}

// parseNumber reads multiples of pi too.
func parseNumber(t *testing.T, s string) float64 {
	angles := map[string]float64{"pi": math.Pi, "pi/2": math.Pi / 2, "pi/4": math.Pi / 4, "3pi/4": 3 * math.Pi / 4}
	if v, ok := angles[strings.TrimPrefix(s, "-")]; ok {
		return math.Copysign(v, map[bool]float64{true: -1, false: 1}[s[0] == '-'])
	}
	v, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err, "%q", s)
	return v
}
