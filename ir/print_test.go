package ir_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

const F32, F64 = ir.Float32, ir.Float64

// mustAdd returns a function that appends to f and fails the test on an error.
func mustAdd(t require.TestingT, f *ir.Func) func(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
	return func(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
		v, err := f.Add(op, a, ir.Pos{}, args...)
		require.NoError(t, err)
		return v
	}
}

func TestPrint(t *testing.T) {
	f := &ir.Func{Name: "normalize"}
	n := ir.Sym("n")
	x := f.Param("x", ir.Type{DType: F32, Shape: ir.Shape{n, ir.Fixed(3)}}, nil)
	y := f.Param("y", ir.Type{DType: F32, Shape: ir.ShapeOf(4, 3)}, &layout.Layout{Shape: []int{4, 3}, Strides: []int{1, 4}})
	add := mustAdd(t, f)
	c := add(ir.OpConst, ir.Attr{DType: F32, Bits: uint64(math.Float32bits(1.5))})
	s := add(ir.OpSub, ir.Attr{}, x, c)
	s.Pos = ir.Pos{File: "/home/user/main.go", Line: 12}
	r := add(ir.OpSlice, ir.Attr{Axis: 0, Begin: n.Sub(ir.Fixed(1)), Len: n, Step: -1}, s)
	r.Pos = ir.Pos{File: "main.go", Line: 13}
	p := add(ir.OpPermute, ir.Attr{Axes: []int{1, 0}}, y)
	d := add(ir.OpDiagonal, ir.Attr{Axes: []int{0, 1}, Step: -1}, p)
	i := add(ir.OpIndex, ir.Attr{Axis: 0, Begin: ir.Fixed(1)}, d)
	a := add(ir.OpAccess, ir.Attr{Shape: ir.ShapeOf(12), At: &layout.Layout{Shape: []int{4, 3}, Strides: []int{1, 4}}}, y)
	k := add(ir.OpCopy, ir.Attr{Note: `a "shape" that no stride has`}, a)
	b := add(ir.OpCast, ir.Attr{DType: ir.Bool}, k)
	f.Results = []*ir.Value{r, i, b}

	want := `func normalize(%x: f32[n,3], %y: f32[4,3] {4,3}:{1,4}+0) {
  %0 = const 1.5                                     : f32[]
  %1 = sub %x, %0                                    : f32[n,3] // main.go:12
  %2 = slice %1 axis=0 begin=n-1 step=-1             : f32[n,3] // main.go:13
  %3 = permute %y axes=[1,0]                         : f32[3,4]
  %4 = diagonal %3 axes=[0,1] k=-1                   : f32[2]
  %5 = index %4 axis=0 at=1                          : f32[]
  %6 = access %y {4,3}:{1,4}+0                       : f32[12]
  %7 = copy %6 note="a \"shape\" that no stride has" : f32[12]
  %8 = cast %7                                       : bool[12]
  return %2, %5, %8
}
`
	require.Equal(t, want, f.String())
	g, err := ir.Parse(want)
	require.NoError(t, err)
	require.Equal(t, want, g.String())
	require.Equal(t, ir.Pos{File: "main.go", Line: 13}, g.Body[2].Pos)
}

func TestPrintConst(t *testing.T) {
	cases := []struct {
		dt   ir.DType
		bits uint64
		want string
	}{
		{F32, 0, "0"},
		{F32, 0x80000000, "-0"},
		{F32, 0x7f800000, "inf"},
		{F32, 0xff800000, "-inf"},
		{F32, 0x7fc00000, "nan"},
		{F32, 0x7fc00001, "nan:0x7fc00001"},
		{F32, 0xffc00000, "nan:0xffc00000"},
		{F32, 0x3dcccccd, "0.1"},
		{F32, 1, "1e-45"},
		{F32, 0x7f7fffff, "3.4028235e+38"},
		{F64, math.Float64bits(math.NaN()), "nan"},
		{F64, 0x7ff8000000000000, "nan:0x7ff8000000000000"},
		{F64, math.Float64bits(0.1), "0.1"},
		{F64, 1, "5e-324"},
		{ir.Int32, 0xffffffffffffffff, "-1"},
		{ir.Int32, 0xffffffff80000000, "-2147483648"},
		{ir.Int64, 1 << 63, "-9223372036854775808"},
		{ir.Uint8, 255, "255"},
		{ir.Uint32, 0xffffffff, "4294967295"},
		{ir.Bool, 1, "true"},
		{ir.Bool, 0, "false"},
	}
	for _, c := range cases {
		f := &ir.Func{}
		v := mustAdd(t, f)(ir.OpConst, ir.Attr{DType: c.dt, Bits: c.bits})
		f.Results = []*ir.Value{v}
		text := f.String()
		require.Equal(t, "func () {\n  %0 = const "+c.want+" : "+c.dt.Text()+"[]\n  return %0\n}\n", text)
		g, err := ir.Parse(text)
		require.NoError(t, err)
		require.Equal(t, c.bits, g.Body[0].Attr.Bits, text)
	}
}

// TestPrintNames checks that names and places of any text survive.
func TestPrintNames(t *testing.T) {
	odd := []string{"", "x", "0", "a b", "x)", "über", "\xff", `q"`, "new\nline", "// c", "%x", ":7", " lead", "trail ", "a/b", `"q"`, "."}
	f := &ir.Func{Name: "main.f"}
	for _, name := range odd {
		p := f.Param(name, ir.Type{DType: F32, Shape: ir.ShapeOf(2)}, nil)
		v, err := f.Add(ir.OpNeg, ir.Attr{}, ir.Pos{File: name, Line: 3}, p)
		require.NoError(t, err)
		f.Results = append(f.Results, v)
	}
	text := f.String()
	g, err := ir.Parse(text)
	require.NoError(t, err, text)
	require.Equal(t, text, g.String())
	require.Equal(t, f.Name, g.Name)
	for i, p := range g.Params {
		require.Equal(t, odd[i], p.Name())
		require.Equal(t, f.Body[i].Pos.String(), g.Body[i].Pos.String())
	}
}

// TestPrintBroken checks that a graph which is no graph prints too.
func TestPrintBroken(t *testing.T) {
	other := &ir.Func{}
	p := other.Param("p", ir.Type{DType: F32}, nil)
	f := &ir.Func{
		Params:  []*ir.Value{nil},
		Body:    []*ir.Value{nil, {Op: ir.OpAdd, Args: []*ir.Value{p, nil}}, {Op: 255}, {Op: ir.OpAccess}, {Op: ir.OpConst, Attr: &ir.Attr{DType: ir.Bool, Bits: 7}}},
		Results: []*ir.Value{nil, p},
	}
	text := f.String()
	require.Contains(t, text, "%1 = add %?, %?")
	require.Contains(t, text, "const invalid:0x7")
	require.Contains(t, text, "return %?, %?")
	require.Error(t, ir.Verify(f, ir.StageGraph))
}

// A graph that is not well formed is printed, and the verifier reports it.
func TestParamWithoutAttributes(t *testing.T) {
	f := &ir.Func{Name: "f", Params: []*ir.Value{{Op: ir.OpParam}}}
	require.Contains(t, f.String(), `func f(%""`)
	require.Error(t, ir.Verify(f, ir.Stage(0)))
}

// TestPrintManyOperands prints a concatenation of so many operands that other lines are not aligned with it.
func TestPrintManyOperands(t *testing.T) {
	length := func(n int) int {
		f := &ir.Func{}
		x := f.Param("x", ir.Type{DType: F32, Shape: ir.ShapeOf(2)}, nil)
		add := mustAdd(t, f)
		for range n {
			add(ir.OpNeg, ir.Attr{}, x)
		}
		f.Results = []*ir.Value{add(ir.OpConcat, ir.Attr{}, f.Body...)}
		again, err := ir.Parse(f.String())
		require.NoError(t, err)
		require.Equal(t, f.String(), again.String())
		return len(f.String())
	}
	require.Less(t, length(4000), 3*length(2000))
}
