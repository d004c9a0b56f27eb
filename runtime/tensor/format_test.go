package tensor

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// The lines after the first are what NumPy 2.4.6 prints, but for true and false.
func TestString(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		x    *Tensor
		want []string
	}{
		"1-d": {Of([]float32{1, 2.5, 3}), []string{"float32[3]",
			"[1.  2.5 3. ]"}},
		"eight digits": {Of([]float64{0.1, 1.0 / 3, 2.0 / 3}), []string{"float64[3]",
			"[0.1        0.33333333 0.66666667]"}},
		"float32 digits": {Of([]float32{0.1, 1.0 / 3, 123.456}), []string{"float32[3]",
			"[1.0000000e-01 3.3333334e-01 1.2345600e+02]"}},
		"exponents": {Of([]float64{1e-5, 1, 123456}), []string{"float64[3]",
			"[1.00000e-05 1.00000e+00 1.23456e+05]"}},
		"long exponents": {Of([]float64{1e-300, -1.5, 2e300}), []string{"float64[3]",
			"[ 1.0e-300 -1.5e+000  2.0e+300]"}},
		"large": {Of([]float32{1e6, 2e6}), []string{"float32[2]",
			"[1.e+06 2.e+06]"}},
		"not finite": {Of([]float32{1, nan, -inf, 2.25}, 2, 2), []string{"float32[2,2]",
			"[[1.    nan]",
			" [-inf 2.25]]"}},
		"only nan": {Of([]float32{nan}), []string{"float32[1]",
			"[nan]"}},
		"signed zero": {Of([]float64{math.Copysign(0, -1), 0}), []string{"float64[2]",
			"[-0.  0.]"}},
		"ints": {Of([]int64{1, -20, 300, math.MinInt64}, 2, 2), []string{"int64[2,2]",
			"[[                   1                  -20]",
			" [                 300 -9223372036854775808]]"}},
		"bytes": {Of([]uint8{0, 255, 7}, 3, 1), []string{"uint8[3,1]",
			"[[  0]",
			" [255]",
			" [  7]]"}},
		"bools": {Of([]bool{true, false, true, true}, 2, 2), []string{"bool[2,2]",
			"[[ true false]",
			" [ true  true]]"}},
		"rank 3": {Of([]int32{0, 1, 2, 3, 4, 5, 6, 70}, 2, 2, 2), []string{"int32[2,2,2]",
			"[[[ 0  1]",
			"  [ 2  3]]",
			"",
			" [[ 4  5]",
			"  [ 6 70]]]"}},
		"rank 4": {Of([]int32{0, 1, 2, 3}, 2, 1, 2, 1), []string{"int32[2,1,2,1]",
			"[[[[0]",
			"   [1]]]",
			"",
			"",
			" [[[2]",
			"   [3]]]]"}},
		"a view": {countedTensor(t, 2, 3).T(), []string{"int32[3,2]",
			"[[0 3]",
			" [1 4]",
			" [2 5]]"}},
		"wrapped": {Arange(ir.Int64, 0, 30_000, 1000), []string{"int64[30]",
			"[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000",
			" 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000",
			" 24000 25000 26000 27000 28000 29000]"}},
		"summarised": {countedTensor(t, 30, 40), []string{"int32[30,40]",
			"[[   0    1    2 ...   37   38   39]",
			" [  40   41   42 ...   77   78   79]",
			" [  80   81   82 ...  117  118  119]",
			" ...",
			" [1080 1081 1082 ... 1117 1118 1119]",
			" [1120 1121 1122 ... 1157 1158 1159]",
			" [1160 1161 1162 ... 1197 1198 1199]]"}},
		"scalar":       {Full(ir.Float64, 0.1), []string{"float64[] 0.1"}},
		"whole scalar": {Full(ir.Float32, 999999), []string{"float32[] 999999.0"}},
		"long scalar":  {Full(ir.Float32, 16777216), []string{"float32[] 1.6777216e+07"}},
		"true":         {Ones(ir.Bool), []string{"bool[] true"}},
		"empty":        {New(ir.Float32, 0, 3), []string{"float32[0,3] []"}},
		"nil":          {nil, []string{"<nil>"}},
		"zero":         {&Tensor{}, []string{"failed tensor: the tensor is nil or zero: make one with Of or New"}},
	} {
		require.Equal(t, strings.Join(c.want, "\n"), c.x.String(), name)
	}
}

// TestStringStaysSmall prints views of very many elements: fast, and on few lines.
func TestStringStaysSmall(t *testing.T) {
	one := Full(ir.Float32, 1.5)
	shape := []int{}
	for range 10 {
		shape = append(shape, 7)
	}
	for _, x := range []*Tensor{one.Expand(math.MaxInt), one.Expand(1000, 1000, 1000), one.Expand(shape...)} {
		require.Less(t, len(x.String()), 30_000)
	}
	require.Equal(t, "float32[1000000000]\n[1.5 1.5 1.5 ... 1.5 1.5 1.5]", one.Expand(1e9).String())
}
