package graph_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const arrayAPIIntro = `# The Python array API standard

All of the [standard's version 2025.12](https://data-apis.org/array-api/2025.12/), and its name here:
` + "`go test ./graph -run ArrayAPI -update`" + ` makes this page from the list of the standard and checks that every name exists. x and y are
Nodes, z and w complex Nodes of package ` + "`graph/cmplx`" + `, t and u tensors, dt an element type; ` + "`linalg` and `fft` are the modules `x/linalg` and `x/fft`" + `.
Numbers behind a name are those of the differences below.
`

// differences are what a program that is written for the standard finds otherwise. A row of apiRows refers to them by number.
var differences = []string{
	"A program is built before it runs: a Node has no elements, so it is no Python bool, int, float or complex. Elements are read from tensors.",
	"Operands of two element types are an error: `Cast` them to `graph.ResultType`. A Go number takes the type of the array beside it.",
	"Functions whose result has as many elements as the data says take tensors, beside a program.",
	"An index below 0 in an array of indices is an error unless `FromEnd` makes it count from the end.",
	"Complex numbers are pairs of Nodes; their tensors have a last axis with the two parts.",
	"Matrices are real: gonum, which factors them, has no complex LAPACK.",
	"The element type must be given; there is no default.",
	"Integers divided by 0 give 0, and the least integer divided by -1 itself. `Div` of integers truncates.",
	"Sums, products and running ones of 32-bit integers have 32 bits and wrap, unless `InType` says otherwise.",
	"Nodes do not change: `Set` and the operators return new ones. If nothing else reads the old one, it is computed in place.",
	"`correction` is an int.",
	"Means, variances and functions of integers are an error: `Cast` them, or give `InType(dt)` to `Mean`, `Var` and `Std`.",
	"A float that becomes an integer saturates, and NaN gives 0. The standard leaves both open.",
	"The order of equal elements is always kept; NaNs are last, also in descending order.",
	"A complex function of a real Node is one of `cmplx.Make(x, x.Scalar(0))`.",
	"All arrays are in the memory of the process: there are no devices.",
	"`FloorDiv` of floats is Python's and NumPy's: infinity divided by 2 gives NaN, and 1 by -infinity -1. The standard has infinity and -0.",
	"`Sign` keeps the sign of a zero, as complex `Expm1` does.",
	"`NonZero` takes a scalar, whose indices have no axes.",
	"The axis that is summed broadcasts too: an extent of 1 is no error.",
	"A mask has the extents of the axes that it selects from, also if neither has elements.",
	"There is no running product of complex numbers.",
}

// suite tells how the standard's own test suite ends: .ci/arrayapi has the adapter.
const suite = `
## The standard's test suite

data-apis/array-api-tests (April 2026) runs over this package by [an adapter](../.ci/arrayapi/README.md), which does what this page
says: it casts operands, names the types of sums, and passes tensors where functions take them. One run on 30 November 2026, with 100 examples for each test,
which took four minutes. With fewer examples some of these failures are not found.

| outcome | of 1,388 tests |
|---|---|
| pass | 1,326 |
| differences: ` + "`floor_divide` of infinities, 18 (17); complex `expm1` of -0, 1 (18); `nonzero` of a scalar, 1 (19); `correction` of `std` and `var`, 2 (11); `vecdot`, 2 (20); a mask without elements, 1 (21)" + ` | 25 |
| missing: complex matrices, 14 (6); DLPack, devices and ` + "`capabilities`" + `, 17 (16); running products of complex numbers, 1 (22) | 32 |
| skipped by the suite | 5 |
`

// apiRow is a name of the standard. Missing says why there is nothing.
type apiRow struct {
	here        string
	differences []int
	missing     string
}

func is(here string, differences ...int) apiRow { return apiRow{here, differences, ""} }
func not(why string) apiRow                     { return apiRow{"", nil, why} }

var apiRows = map[string]map[string]apiRow{
	"array_object": {
		"dtype": is("x.DType(), t.DType()"), "device": not("difference 16"), "mT": is("x.SwapAxes(-2, -1)"), "ndim": is("x.Rank()"), "shape": is("x.Shape()"),
		"size": is("x.Shape().NumElems(), t.Size()"), "T": is("x.T()"),
		"__abs__": is("x.Abs(), z.Abs()"), "__add__": is("x.Add(y), z.Add(w)", 2), "__and__": is("x.And(y)", 2),
		"__array_namespace__": not("packages are Go's imports"), "__bool__": is("graph.At[bool](t)", 1), "__complex__": is("cmplx.Data[complex128](t)", 1),
		"__dlpack__": not("no Go library exchanges DLPack capsules; slices and Arrow buffers are shared without a copy"), "__dlpack_device__": not("see `__dlpack__`"),
		"__eq__": is("x.Eq(y), z.Eq(w)", 2), "__float__": is("graph.At[float64](t)", 1), "__floordiv__": is("x.FloorDiv(y)", 2, 8, 17), "__ge__": is("x.Ge(y)", 2),
		"__getitem__": is("x.Slice(\"1:, ::-1, None\"), x.Index(0, i), x.Take(0, i), graph.Compress(ctx, t, mask, 0)", 3, 4, 21), "__gt__": is("x.Gt(y)", 2),
		"__index__": is("graph.At[int64](t)", 1), "__int__": is("graph.At[int64](t)", 1), "__invert__": is("x.Not()"), "__le__": is("x.Le(y)", 2),
		"__lshift__": is("x.Shl(y)", 2), "__lt__": is("x.Lt(y)", 2), "__matmul__": is("x.MatMul(y), z.MatMul(w)", 2), "__mod__": is("x.Mod(y)", 2, 8),
		"__mul__": is("x.Mul(y), z.Mul(w)", 2), "__ne__": is("x.Ne(y), z.Eq(w).Not()", 2), "__neg__": is("x.Neg(), z.Neg()"), "__or__": is("x.Or(y)", 2),
		"__pos__": is("x"), "__pow__": is("x.Pow(y), z.Pow(w)", 2), "__rshift__": is("x.Shr(y)", 2), "__setitem__": is("x.Set(\"1:3\", y), x.Scatter(0, i, y, graph.ScatterSet)", 10),
		"__sub__": is("x.Sub(y), z.Sub(w)", 2), "__truediv__": is("x.Div(y), z.Div(w)", 2, 8), "__xor__": is("x.Xor(y)", 2), "to_device": not("difference 16"),
	},
	"constants": {"e": is("math.E"), "inf": is("math.Inf(1)"), "nan": is("math.NaN()"), "newaxis": is("x.Slice(\"None\"), x.Unsqueeze(0)"), "pi": is("math.Pi")},
	"creation_functions": {
		"arange": is("graph.Arange(dt, 0, 10, 2); in a graph graph.Range(dt, 0, 10, 2)", 7), "asarray": is("graph.Of(slice, shape), graph.Const(t), t.Clone()"),
		"empty": is("graph.New(dt, shape)", 7), "empty_like": is("graph.New(t.DType(), t.Shape())"), "eye": is("graph.Eye(dt, n); x.EyeLike(dt, k) of any shape and diagonal", 7),
		"from_dlpack": not("see `__dlpack__`"), "full": is("graph.Full(dt, v, shape); in a graph graph.Fill(dt, v, shape)", 7), "full_like": is("graph.Fill(x.DType(), v, x.Shape())"),
		"linspace": is("graph.Linspace(dt, 0, 1, n), graph.LinspaceOpen(dt, 0, 1, n), cmplx.Linspace(dt, 0, 1i, n)", 7),
		"meshgrid": is("graph.Meshgrid(x, y), by `indexing=\"ij\"`; for \"xy\" with SwapAxes(0, 1)"),
		"ones":     is("graph.Ones(dt, shape)", 7), "ones_like": is("graph.Fill(x.DType(), 1, x.Shape())"), "tril": is("x.Tril(k)"), "triu": is("x.Triu(k)"),
		"zeros": is("graph.Zeros(dt, shape)", 7), "zeros_like": is("graph.Fill(x.DType(), 0, x.Shape())"),
	},
	"data_type_functions": {
		"astype": is("x.Cast(dt)", 13), "can_cast": is("graph.CanCast(from, to)"), "finfo": is("dt.FloatLimits()"), "iinfo": is("dt.IntLimits()"),
		"isdtype": is("graph.Floats.Has(dt); Bools, SignedIntegers, UnsignedIntegers, Integers, Numeric"), "result_type": is("graph.ResultType(dt, dt)"),
	},
	"data_types": {
		"bool": is("graph.Bool"), "int8": is("graph.Int8"), "int16": is("graph.Int16"), "int32": is("graph.Int32"), "int64": is("graph.Int64"),
		"uint8": is("graph.Uint8"), "uint16": is("graph.Uint16"), "uint32": is("graph.Uint32"), "uint64": is("graph.Uint64"),
		"float32": is("graph.Float32"), "float64": is("graph.Float64"), "complex64": is("cmplx.Input(name, graph.Float32, shape)", 5), "complex128": is("cmplx.Input(name, graph.Float64, shape)", 5),
	},
	"elementwise_functions": {
		"abs": is("x.Abs(), z.Abs()"), "acos": is("x.Acos(), z.Acos()"), "acosh": is("x.Acosh(), z.Acosh()"), "add": is("x.Add(y), z.Add(w)", 2),
		"asin": is("x.Asin(), z.Asin()"), "asinh": is("x.Asinh(), z.Asinh()"), "atan": is("x.Atan(), z.Atan()"), "atan2": is("x.Atan2(y)", 2), "atanh": is("x.Atanh(), z.Atanh()"),
		"bitwise_and": is("x.And(y)", 2), "bitwise_left_shift": is("x.Shl(y)", 2), "bitwise_invert": is("x.Not()"), "bitwise_or": is("x.Or(y)", 2),
		"bitwise_right_shift": is("x.Shr(y)", 2), "bitwise_xor": is("x.Xor(y)", 2), "ceil": is("x.Ceil(); integers are themselves"), "clip": is("x.Clip(lo, hi); one side by x.Maximum(lo) or x.Minimum(hi)", 2),
		"conj": is("z.Conj()", 15), "copysign": is("x.CopySign(y)", 2), "cos": is("x.Cos(), z.Cos()"), "cosh": is("x.Cosh(), z.Cosh()"), "divide": is("x.Div(y), z.Div(w)", 2, 8),
		"equal": is("x.Eq(y), z.Eq(w)", 2), "exp": is("x.Exp(), z.Exp()"), "expm1": is("x.Expm1(), z.Expm1()", 18), "floor": is("x.Floor(); integers are themselves"),
		"floor_divide": is("x.FloorDiv(y)", 2, 8, 17), "greater": is("x.Gt(y)", 2), "greater_equal": is("x.Ge(y)", 2), "hypot": is("x.Hypot(y)", 2), "imag": is("z.Imag()", 15),
		"isfinite": is("x.IsFinite(), z.Real().IsFinite().And(z.Imag().IsFinite())"), "isinf": is("x.IsInf(), z.Real().IsInf().Or(z.Imag().IsInf())"), "isnan": is("x.IsNaN(), z.Real().IsNaN().Or(z.Imag().IsNaN())"),
		"less": is("x.Lt(y)", 2), "less_equal": is("x.Le(y)", 2), "log": is("x.Log(), z.Log()"), "log1p": is("x.Log1p(), z.Log1p()"), "log2": is("x.Log2(), z.Log2()"), "log10": is("x.Log10(), z.Log10()"),
		"logaddexp": is("x.LogAddExp(y)", 2), "logical_and": is("x.And(y)", 2), "logical_not": is("x.Not()"), "logical_or": is("x.Or(y)", 2), "logical_xor": is("x.Xor(y)", 2),
		"maximum": is("x.Maximum(y)", 2), "minimum": is("x.Minimum(y)", 2), "multiply": is("x.Mul(y), z.Mul(w)", 2), "negative": is("x.Neg(), z.Neg()"), "nextafter": is("x.NextAfter(y)", 2),
		"not_equal": is("x.Ne(y), z.Eq(w).Not()", 2), "positive": is("x"), "pow": is("x.Pow(y), z.Pow(w)", 2), "real": is("z.Real()", 15), "reciprocal": is("x.Reciprocal()"),
		"remainder": is("x.Mod(y)", 2, 8), "round": is("x.Round(), z.View(graph.Node.Round)"), "sign": is("x.Sign(), z.Sign()", 18), "signbit": is("x.Signbit()"), "sin": is("x.Sin(), z.Sin()"), "sinh": is("x.Sinh(), z.Sinh()"),
		"square": is("x.Square(), z.Mul(z)"), "sqrt": is("x.Sqrt(), z.Sqrt()"), "subtract": is("x.Sub(y), z.Sub(w)", 2), "tan": is("x.Tan(), z.Tan()"), "tanh": is("x.Tanh(), z.Tanh()"), "trunc": is("x.Trunc(); integers are themselves"),
	},
	"fft": {
		"fft": is("fft.FFT(ctx, t, options)"), "ifft": is("fft.IFFT(ctx, t, options)"), "fftn": is("fft.FFTN(ctx, t, options)"), "ifftn": is("fft.IFFTN(ctx, t, options)"),
		"rfft": is("fft.RFFT(ctx, t, options)"), "irfft": is("fft.IRFFT(ctx, t, options)"), "rfftn": is("fft.RFFTN(ctx, t, options)"), "irfftn": is("fft.IRFFTN(ctx, t, options)"),
		"hfft": is("fft.HFFT(ctx, t, options)"), "ihfft": is("fft.IHFFT(ctx, t, options)"), "fftfreq": is("fft.FFTFreq(dt, n, d)", 7), "rfftfreq": is("fft.RFFTFreq(dt, n, d)", 7),
		"fftshift": is("fft.FFTShift(t)"), "ifftshift": is("fft.IFFTShift(t)"),
	},
	"indexing_functions": {"take": is("x.Take(axis, i)", 4), "take_along_axis": is("x.TakeAlong(axis, i)", 4)},
	"info": {
		"capabilities": not("Go's compiler knows what a package has"), "default_device": not("difference 16"), "default_dtypes": not("difference 7"),
		"devices": not("difference 16"), "dtypes": is("graph.Numeric.List()"),
	},
	"linalg": {
		"cholesky": is("linalg.Cholesky(ctx, t)", 6), "cross": is("x.Cross(y, axis)", 2), "det": is("linalg.Det(ctx, t)", 6), "diagonal": is("x.Diagonal(k, -2, -1)"),
		"eig": is("linalg.Eig(ctx, t)", 6), "eigh": is("linalg.Eigh(ctx, t)", 6), "eigvalsh": is("linalg.EigValsh(ctx, t)", 6), "eigvals": is("linalg.EigVals(ctx, t)", 6),
		"inv": is("linalg.Inv(ctx, t)", 6), "matmul": is("x.MatMul(y), z.MatMul(w)", 2),
		"matrix_norm":  is("x.Norm2(-2, -1); 1 is x.Abs().Sum(-2).Max(-1), inf x.Abs().Sum(-1).Max(-1); 2, -2 and nuc are Max, Min and Sum of linalg.SVDVals(ctx, t)", 6),
		"matrix_power": is("linalg.MatrixPower(ctx, t, n)", 6), "matrix_rank": is("linalg.MatrixRank(ctx, t, tolerance)", 6), "matrix_transpose": is("x.SwapAxes(-2, -1)"),
		"outer": is("x.Outer(y)", 2), "pinv": is("linalg.PInv(ctx, t, tolerance)", 6), "qr": is("linalg.QR(ctx, t), linalg.FullQR(ctx, t)", 6), "slogdet": is("linalg.SlogDet(ctx, t)", 6),
		"solve": is("linalg.Solve(ctx, t, u)", 6), "svd": is("linalg.FullSVD(ctx, t), linalg.SVD(ctx, t)", 6), "svdvals": is("linalg.SVDVals(ctx, t)", 6),
		"tensordot": is("x.Tensordot(y, axes)", 2), "trace": is("x.Diagonal(k, -2, -1).Sum(-1)", 9), "vecdot": is("x.Mul(y).Sum(-1), z.Conj().Mul(w).Sum(-1)", 2, 20),
		"vector_norm": is("x.Norm2(axis), x.Norm1(axis), x.Abs().Max(axis); others x.Abs().Pow(p).Sum(axis).Pow(1/p)"),
	},
	"manipulation_functions": {
		"broadcast_arrays": is("x.BroadcastTo(x.Add(y).Shape()); operations broadcast by themselves"), "broadcast_shapes": is("x.Add(y).Shape()"), "broadcast_to": is("x.BroadcastTo(shape)"),
		"concat": is("graph.Concat(axis, x, y)", 2), "expand_dims": is("x.ExpandDims(axis)"), "flip": is("x.Flip(axes)"), "moveaxis": is("x.MoveAxis(from, to); several by x.Permute(axes)"),
		"permute_dims": is("x.Permute(axes)"), "repeat": is("x.Repeat(axis, 2), x.Repeat(axis, []int{2, 0, 1})"), "reshape": is("x.Reshape(shape)"), "roll": is("x.Roll(axis, shift)"),
		"squeeze": is("x.Squeeze(axes)"), "stack": is("graph.Stack(axis, x, y)", 2), "tile": is("x.Tile(reps)"), "unstack": is("x.Unstack(axis)"),
	},
	"searching_functions": {
		"argmax": is("x.ArgMax(axis)"), "argmin": is("x.ArgMin(axis)"), "count_nonzero": is("x.Ne(0).Sum(axis)"), "nonzero": is("graph.NonZero(ctx, t)", 3, 19),
		"searchsorted": is("x.SearchSorted(y, right); with a sorter x.Take(0, sorter).SearchSorted(y, right)", 2), "where": is("graph.Where(cond, x, y)", 2),
	},
	"set_functions": {
		"isin": is("x.IsIn(y)", 2), "unique_all": is("graph.Unique(ctx, t), cmplx.Unique(ctx, t)", 3), "unique_counts": is("graph.Unique(ctx, t): Values, Counts", 3),
		"unique_inverse": is("graph.Unique(ctx, t): Values, Places", 3), "unique_values": is("graph.Unique(ctx, t): Values", 3),
	},
	"sorting_functions": {"argsort": is("x.ArgSort(axis), x.ArgSortDescending(axis)", 14), "sort": is("x.Sort(axis), x.SortDescending(axis)", 14)},
	"statistical_functions": {
		"cumulative_prod": is("x.CumProd(axis), with graph.Initial", 9, 22), "cumulative_sum": is("x.CumSum(axis), with graph.Initial; z.CumSum(axis)", 9), "max": is("x.Max(axes)"), "mean": is("x.Mean(axes), z.Mean(axes)", 12),
		"min": is("x.Min(axes)"), "prod": is("x.Prod(axes), z.Prod(axis)", 9), "std": is("x.Std(axes, graph.DDOF(1))", 11, 12), "sum": is("x.Sum(axes), z.Sum(axes)", 9), "var": is("x.Var(axes, graph.DDOF(1))", 11, 12),
	},
	"utility_functions": {"all": is("x.All(axes)"), "any": is("x.Any(axes)"), "diff": is("x.Diff(axis, n); parts before and after by graph.Concat")},
}

// TestArrayAPI writes docs/array-api.md, and checks that it has every name of the standard, names what exists here, and uses
// each difference.
func TestArrayAPI(t *testing.T) {
	list, err := os.ReadFile("testdata/array_api.txt")
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(arrayAPIIntro)
	last, rows, missing := "", 0, 0
	used := map[int]bool{}
	names := exported(t, ".", "cmplx", "../x/linalg", "../x/fft", "../ir", "../runtime/tensor")
	called := regexp.MustCompile(`\.([A-Z]\w*)`)
	var none []string
	for line := range strings.Lines(string(list)) {
		section, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, line)
		if section != last {
			fmt.Fprintf(&b, "\n## %s\n\n| the standard | here | differences |\n|---|---|---|\n", strings.ReplaceAll(strings.ToUpper(section[:1])+section[1:], "_", " "))
			last = section
		}
		row, ok := apiRows[section][name]
		require.True(t, ok, "%s has no row for %s", section, name)
		rows++
		if row.missing != "" {
			missing++
			none = append(none, name)
			fmt.Fprintf(&b, "| `%s` | none: %s | |\n", name, row.missing)
			continue
		}
		for _, m := range called.FindAllStringSubmatch(row.here, -1) {
			require.True(t, names[m[1]] || strings.HasPrefix(row.here, "math."), "%s: nothing is named %s", name, m[1])
		}
		var numbers []string
		for _, d := range row.differences {
			used[d] = true
			numbers = append(numbers, fmt.Sprint(d))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, asCode(row.here), strings.Join(numbers, ", "))
	}
	for section, named := range apiRows {
		for name := range named {
			require.Contains(t, string(list), section+" "+name+"\n")
		}
	}
	fmt.Fprintf(&b, "\n## Differences\n\n")
	require.LessOrEqual(t, len(differences), 25)
	for i, d := range differences {
		if i+1 != 16 { // rows without anything here refer to it
			require.True(t, used[i+1], "no row has difference %d", i+1)
		}
		fmt.Fprintf(&b, "%d. %s\n", i+1, d)
	}
	fmt.Fprintf(&b, "\n%d of %d names are here; the others are `%s`.\n", rows-missing, rows, strings.Join(none, "`, `"))
	b.WriteString(suite)
	const page = "../docs/array-api.md"
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(b.String()), 0o666))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(have), "after a change that is meant, run: go test ./graph -run ArrayAPI -update")
}

// asCode marks the expressions of a row as code, and leaves its words.
func asCode(here string) string {
	words := regexp.MustCompile(`(^|[ ;:,])((?:[a-z]+\.)?[A-Za-z]+(?:\.[A-Z]\w*|\[\w+\]|\((?:[^()]|\([^()]*\))*\))+(?:\.\w+(?:\((?:[^()]|\([^()]*\))*\))?)*)`)
	return words.ReplaceAllString(here, "$1`$2`")
}

// exported returns the exported names of packages, and of the methods of their types.
func exported(t *testing.T, dirs ...string) map[string]bool {
	names := map[string]bool{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		for _, file := range slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") }) {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					names[d.Name.Name] = true
				case *ast.GenDecl:
					for _, s := range d.Specs {
						switch s := s.(type) {
						case *ast.TypeSpec:
							names[s.Name.Name] = true
						case *ast.ValueSpec:
							for _, n := range s.Names {
								names[n.Name] = true
							}
						}
					}
				}
			}
		}
	}
	return names
}
