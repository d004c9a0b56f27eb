package runtime

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
		"1-d": {sure(Of([]float32{1, 2.5, 3}))(t), []string{"float32[3]",
			"[1.  2.5 3. ]"}},
		"eight digits": {sure(Of([]float64{0.1, 1.0 / 3, 2.0 / 3}))(t), []string{"float64[3]",
			"[0.1        0.33333333 0.66666667]"}},
		"float32 digits": {sure(Of([]float32{0.1, 1.0 / 3, 123.456}))(t), []string{"float32[3]",
			"[1.0000000e-01 3.3333334e-01 1.2345600e+02]"}},
		"exponents": {sure(Of([]float64{1e-5, 1, 123456}))(t), []string{"float64[3]",
			"[1.00000e-05 1.00000e+00 1.23456e+05]"}},
		"long exponents": {sure(Of([]float64{1e-300, -1.5, 2e300}))(t), []string{"float64[3]",
			"[ 1.0e-300 -1.5e+000  2.0e+300]"}},
		"large": {sure(Of([]float32{1e6, 2e6}))(t), []string{"float32[2]",
			"[1.e+06 2.e+06]"}},
		"not finite": {sure(Of([]float32{1, nan, -inf, 2.25}, 2, 2))(t), []string{"float32[2,2]",
			"[[1.    nan]",
			" [-inf 2.25]]"}},
		"only nan": {sure(Of([]float32{nan}))(t), []string{"float32[1]",
			"[nan]"}},
		"signed zero": {sure(Of([]float64{math.Copysign(0, -1), 0}))(t), []string{"float64[2]",
			"[-0.  0.]"}},
		"ints": {sure(Of([]int64{1, -20, 300, math.MinInt64}, 2, 2))(t), []string{"int64[2,2]",
			"[[                   1                  -20]",
			" [                 300 -9223372036854775808]]"}},
		"bytes": {sure(Of([]uint8{0, 255, 7}, 3, 1))(t), []string{"uint8[3,1]",
			"[[  0]",
			" [255]",
			" [  7]]"}},
		"bools": {sure(Of([]bool{true, false, true, true}, 2, 2))(t), []string{"bool[2,2]",
			"[[ true false]",
			" [ true  true]]"}},
		"rank 3": {sure(Of([]int32{0, 1, 2, 3, 4, 5, 6, 70}, 2, 2, 2))(t), []string{"int32[2,2,2]",
			"[[[ 0  1]",
			"  [ 2  3]]",
			"",
			" [[ 4  5]",
			"  [ 6 70]]]"}},
		"rank 4": {sure(Of([]int32{0, 1, 2, 3}, 2, 1, 2, 1))(t), []string{"int32[2,1,2,1]",
			"[[[[0]",
			"   [1]]]",
			"",
			"",
			" [[[2]",
			"   [3]]]]"}},
		"a view": {sure(countedTensor(t, 2, 3).T())(t), []string{"int32[3,2]",
			"[[0 3]",
			" [1 4]",
			" [2 5]]"}},
		"wrapped": {sure(Arange(ir.Int64, 0, 30_000, 1000))(t), []string{"int64[30]",
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
		"scalar":       {sure(Full(ir.Float64, 0.1))(t), []string{"float64[] 0.1"}},
		"whole scalar": {sure(Full(ir.Float32, 999999))(t), []string{"float32[] 999999.0"}},
		"long scalar":  {sure(Full(ir.Float32, 16777216))(t), []string{"float32[] 1.6777216e+07"}},
		"true":         {sure(Ones(ir.Bool))(t), []string{"bool[] true"}},
		"empty":        {sure(New(ir.Float32, 0, 3))(t), []string{"float32[0,3] []"}},
		"nil":          {nil, []string{"<nil>"}},
		"zero":         {&Tensor{}, []string{"invalid tensor"}},
	} {
		require.Equal(t, strings.Join(c.want, "\n"), c.x.String(), name)
	}
}

// TestStringStaysSmall prints views of very many elements: fast, and on few lines.
func TestStringStaysSmall(t *testing.T) {
	one := sure(Full(ir.Float32, 1.5))(t)
	shape := []int{}
	for range 10 {
		shape = append(shape, 7)
	}
	for _, x := range []*Tensor{sure(one.Expand(math.MaxInt))(t), sure(one.Expand(1000, 1000, 1000))(t), sure(one.Expand(shape...))(t)} {
		require.Less(t, len(x.String()), 30_000)
	}
	require.Equal(t, "float32[1000000000]\n[1.5 1.5 1.5 ... 1.5 1.5 1.5]", sure(one.Expand(1e9))(t).String())
}
