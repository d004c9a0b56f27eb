package ir_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"
)

func parseDim(t require.TestingT, text string) ir.Dim {
	d, err := ir.ParseDim(text)
	require.NoError(t, err)
	return d
}

func TestParseDim(t *testing.T) {
	for text, want := range map[string]string{
		"7": "7", " 7 ": "7", "n": "n", "0*n": "0", "n - n": "0", "-n": "-n", "m*n + 2 * n*m": "3*m*n",
		" ( n + 1 ) / 2 ": "(n+1)/2", "2*n+1": "2*n+1", "n*2 - 1": "2*n-1", "(2*n)/2": "n", "(7)/2": "3",
		"(4*n+2)/4": "n", "(6*n-4*m)/8": "(2*m+3*n)/4-m", "(6*n+9)/3": "2*n+3", "(-7)/2": "-4",
		"n/2": "n/2", "2*n/4": "n/2", "(n)/2": "n/2", "-n/2": "-n/2", "(-n)/2": "-n+n/2", "n/2*m": "m*(n/2)", "m-2*(n/3)": "m-2*(n/3)", "n*m/2": "(m*n)/2", "2*(n/4)": "2*(n/4)", "n/2*3/4": "(3*(n/2))/4", "3*(n+1)": "3*n+3",
		"((4*n+2)/4+1)/3": "(n+1)/3", "((n+1)/2+4)/3": "((n+1)/2+1)/3+1",
	} {
		require.Equal(t, want, parseDim(t, text).String(), text)
	}
	maxInt := strconv.Itoa(math.MaxInt)
	for text, want := range map[string]string{
		"":                   `extent "": want a number or a name at ""`,
		"  ":                 `extent "  ": want a number or a name at ""`,
		"n m":                `extent "n m": unexpected "m"`,
		"1 2":                `extent "1 2": unexpected "2"`,
		"n+":                 `extent "n+": want a number or a name at ""`,
		"2n":                 `extent "2n": "2n" is neither a number nor a name: a product is 2*n`,
		"n\t":                `extent "n\t": unexpected "\t"`,
		"(n)/":               `extent "(n)/": want a positive number after /`,
		"(n)/m":              `extent "(n)/m": want a positive number after /`,
		"(n)/ 1 2":           `extent "(n)/ 1 2": unexpected "2"`,
		"n/0":                `extent "n/0": want a positive number after /`,
		"(n":                 `extent "(n": want ) after (`,
		"!overflow":          `extent "!overflow": want a number or a name at "!overflow"`,
		"n*" + maxInt + "*2": `extent "n*` + maxInt + `*2" does not fit an int`,
	} {
		d, err := ir.ParseDim(text)
		require.EqualError(t, err, want)
		require.Equal(t, ir.Dim{}, d)
	}
}

// TestBadDim checks that a mistake survives arithmetic and comes out.
func TestBadDim(t *testing.T) {
	n := ir.Sym("n")
	require.NotEqual(t, ir.Fixed(0), ir.Sym(""))
	require.EqualError(t, ir.Sym("").Err(), `"" is no name of a size: use letters, digits and _`)
	require.EqualError(t, ir.Sym("n m").Err(), `"n m" is no name of a size: use letters, digits and _`)
	require.EqualError(t, n.Div(0).Err(), "an extent is divided by 0: it must be by 1 or more")
	large := n.Mul(ir.Fixed(math.MaxInt))
	require.NoError(t, large.Err())
	require.EqualError(t, large.Add(n).Err(), "an extent passes int")

	_, err := ir.ParseDim("n+")
	bad := ir.BadDim(err)
	other := ir.BadDim(fmt.Errorf("other"))
	for _, d := range []ir.Dim{
		bad.Add(ir.Fixed(1)), n.Add(bad), bad.Sub(bad), n.Sub(bad), bad.Mul(ir.Fixed(0)), ir.Fixed(0).Mul(bad),
		bad.Div(2), bad.Div(0), bad.Add(other), n.Mul(bad).Add(other), ir.Shape{n, bad, n}.NumElems(),
	} {
		require.Equal(t, bad, d)
		_, fixed := d.Int()
		require.False(t, fixed)
		require.Empty(t, d.Names())
		_, err := d.Bind(map[string]int{"n": 3})
		require.EqualError(t, err, `extent "n+": want a number or a name at ""`)
		_, err = ir.ParseDim(d.String())
		require.Error(t, err)
	}
	const want = `axis 1: extent "n+": want a number or a name at ""`
	shape := ir.Shape{n, bad}
	require.EqualError(t, shape.Check(), want)
	_, err = shape.Bind(map[string]int{"n": 3})
	require.Error(t, err)
	x := ir.Type{DType: F32, Shape: ir.Shape{n}}
	_, err = ir.Infer(ir.OpParam, ir.Attr{DType: F32, Shape: shape}, nil)
	require.EqualError(t, err, want)
	_, err = ir.Infer(ir.OpExpand, ir.Attr{Shape: ir.Shape{bad, n}}, []ir.Type{x})
	require.ErrorContains(t, err, `axis 0: extent "n+"`)
	_, err = ir.Infer(ir.OpReshape, ir.Attr{Shape: shape}, []ir.Type{x})
	require.ErrorContains(t, err, want)
	for _, a := range []ir.Attr{{Begin: bad, Len: n, Step: 1}, {Begin: n, Len: bad, Step: 1}} {
		_, err = ir.Infer(ir.OpSlice, a, []ir.Type{x})
		require.ErrorContains(t, err, `extent "n+"`)
	}
	_, err = ir.Infer(ir.OpIndex, ir.Attr{Begin: bad}, []ir.Type{x})
	require.ErrorContains(t, err, `extent "n+"`)
}

// TestManyTerms: a product of sums whose terms cancel has an extent, whatever the order in which they are added.
func TestManyTerms(t *testing.T) {
	for range 50 {
		d, err := ir.ParseDim("(a+b+c+d+e+f+g+h+i)*(a+b+c+d+e-f-g-h-i)")
		require.NoError(t, err)
		require.Contains(t, d.String(), "a*a+2*a*b")
	}
}

func TestDimBind(t *testing.T) {
	d := parseDim(t, "(n-3)/2")
	v, err := d.Bind(map[string]int{"n": 0})
	require.NoError(t, err, "negative numbers are Check's")
	require.Equal(t, -2, v)
	require.Error(t, ir.ShapeOf(v).Check())
	_, err = d.Bind(nil)
	require.EqualError(t, err, `extent (n+1)/2-2: the size "n" is not bound`)
	_, err = parseDim(t, "n*n").Bind(map[string]int{"n": math.MaxInt})
	require.EqualError(t, err, "extent n*n does not fit an int")
}

// TestDimArithmetic holds extents against numbers, and checks that the order in
// which a polynomial is put together does not show.
func TestDimArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := map[string]int{"n": rapid.IntRange(0, 50).Draw(t, "n"), "m": rapid.IntRange(0, 50).Draw(t, "m")}
		dims := []ir.Dim{ir.Sym("n"), ir.Sym("m"), ir.Fixed(1), ir.Fixed(-3)}
		nums := []int{sizes["n"], sizes["m"], 1, -3}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			i, j := rapid.IntRange(0, len(dims)-1).Draw(t, "i"), rapid.IntRange(0, len(dims)-1).Draw(t, "j")
			d, e, x, y := dims[i], dims[j], nums[i], nums[j]
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0:
				d, x = d.Add(e), x+y
				require.Equal(t, d, e.Add(dims[i]))
			case 1:
				d, x = d.Sub(e), x-y
				if back := d.Add(e); back.Err() == nil {
					require.Equal(t, dims[i], back)
				}
			case 2:
				d, x = d.Mul(e), x*y
				require.Equal(t, d, e.Mul(dims[i]))
			default:
				k, c := rapid.IntRange(1, 6).Draw(t, "k"), rapid.IntRange(1, 6).Draw(t, "c")
				if most := d.Mul(ir.Fixed(c)); most.Err() == nil {
					require.Equal(t, d.Div(k), most.Div(c*k), "lowest terms")
				}
				d, x = d.Div(k), int(math.Floor(float64(x)/float64(k)))
			}
			if d.Err() != nil || x > math.MaxInt>>23 || x < -math.MaxInt>>23 {
				return
			}
			got, err := d.Bind(sizes)
			require.NoError(t, err)
			require.Equal(t, x, got, d)
			require.Equal(t, d, parseDim(t, d.String()))
			dims, nums = append(dims, d), append(nums, x)
		}
	})
}

func TestLinear(t *testing.T) {
	cases := []struct {
		text string
		name string
		a, b int
	}{{"n", "n", 1, 0}, {"2*n", "n", 2, 0}, {"3*n-4", "n", 3, -4}, {"7-n", "n", -1, 7}, {"5", "", 0, 0}, {"n*m", "", 0, 0}, {"n+m", "", 0, 0}, {"(n+1)/2", "", 0, 0}, {"n*n", "", 0, 0}}
	for _, c := range cases {
		d, err := ir.ParseDim(c.text)
		require.NoError(t, err)
		name, a, b, ok := d.Linear()
		require.Equal(t, c.name != "", ok, c.text)
		require.Equal(t, []any{c.name, c.a, c.b}, []any{name, a, b}, c.text)
	}
}
