package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// examples has the text of a micro-kernel for each row, and of all its parts.
var examples = []string{
	"pack u32",
	"transpose i64",
	"insert u16",
	"store_nt u8",
	"prefetch u8",
	"dot f32",
	"scan add f32",
	"scan max i64 carry",
	"reduce [add] kernel (u0:f32) { store u0 }",
	"reduce [_, add, argmax] kernel (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = exp t0; store t1 t1 u0 }",
	"reduce [add] kernel fast (u0:f32) { t0 = exp u0; store t0 }",
	"places argmax u8",
	"gather u16",
	"gather_reduce gather_add f32",
	"ragged ragged_mul_add f64",
	"lookup u32",
	"scatter scatter_add f64",
	"scatter_bytes scatter_max i32",
	"sort argsort f32",
	"dothalves i32",
	"dotbytes i32",
	"order sort f32",
	"merge sort f32",
	"dotwindows f32",
	"dotleftwindows f32",
	"dotbatch i32",
	"search searchsorted_right f32",
	"leaves leaves i32",
	"recurrence f64",
	"window_quantile f64",
	"nth f32",
	"rescan f32",
	"reduce_columns add kernel (s0:f32, u1:f32) { t0 = sub s0 u1; t1 = mul t0 t0; store t1 }",
}

// TestMicroTable proves the table total: each row has an example, all that a row says,
// and types or a body.
func TestMicroTable(t *testing.T) {
	seen := map[MicroKind]bool{}
	for _, text := range examples {
		c, err := ParseCode(text)
		require.NoError(t, err, text)
		m := c.(*Micro)
		seen[m.Kind] = true
		require.Equal(t, text, m.Signature())
		canon, order := Canonical(m)
		require.Equal(t, text, canon.Signature())
		for i, from := range order {
			require.Equal(t, i, from, text)
		}
		for i, a := range m.Args() {
			require.NoError(t, a.DType.Check(), text)
			require.Less(t, m.FieldAt(0)+len(m.Fields()), MaxOperands)
			for _, d := range []Extent{a.Outer, a.Inner, a.Across} {
				require.True(t, d == None || int(d) < int(Field0)+len(m.Fields()), "%s, argument %d", text, i)
			}
		}
		require.NotNil(t, micros[m.Kind].meaning)
	}
	for _, r := range MicroKinds() {
		require.True(t, seen[r], "%s has no example", r)
		require.NotEmpty(t, r.Doc())
		require.NotEqual(t, noUnit, micros[r].time.Unit, "%s", r)
		require.NotEqual(t, micros[r].has.dtype, micros[r].has.body)
		require.Equal(t, micros[r].has.dtype, r.Types() != 0)
		require.Equal(t, micros[r].has.op, len(micros[r].ops) > 0)
		byName, ok := microByName(r.String())
		require.True(t, ok)
		require.Equal(t, r, byName)
	}
}

// TestMicroRefuses lists texts and values that are no micro-kernels.
func TestMicroRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"shuffle f32":                            "no micro-kernel has the name",
		"dot u8":                                 "dot is not made for",
		"dot":                                    "element type",
		"dot f32 f32":                            "end",
		"scan sub f32":                           "does not combine by sub",
		"scan add bool":                          "scan is not made for bool",
		"reduce [] kernel (u0:f32) { store u0 }": "0 combiners for 1 outputs",
		"reduce [_] kernel (u0:f32) { store u0 }":                           "at least one output",
		"reduce [and] kernel (u0:f32) { store u0 }":                         "output 0",
		"reduce [add] kernel (u0:f32) { store add(u0) }":                    "found",
		"reduce [add] kernel (s0:f32, u1:f32) { t0 = dot s0 u1; store t0 }": "not elementwise",
		"reduce [add] kernel (u0:u32) { t0 = permute u0; store t0 }":        "not elementwise",
		"reduce [cumsum] kernel (u0:f32) { store u0 }":                      "output 0",
		"reduce [add] kernel (u0:u16) { store u0 }":                         "uint16 is computed in int32",
		"reduce_columns add kernel (s0:f32) { store s0 }":                   "unit operands",
		"reduce_columns add kernel (u0:i32) { store u0 }":                   "one type of float",
		"reduce_columns add kernel (u0:f32) { t0 = exp u0; store t0 }":      "has no exp",
	} {
		_, err := ParseCode(text)
		require.ErrorContains(t, err, want, text)
	}
	for _, m := range []Micro{{}, {Kind: numMicros}, {Kind: Dot}, {Kind: Dot, Type: ir.Float32, Carry: true}, {Kind: Dot, Type: ir.Float32, Op: ir.OpAdd}} {
		require.Error(t, m.Verify(), m.String())
	}
}

// TestMicroCanonical gives one form to bodies that differ in the order of their
// operands.
func TestMicroCanonical(t *testing.T) {
	c, err := ParseCode("reduce [add] kernel (s0:f32, u1:f32, u2:f32) { t0 = mul u2 u2; t1 = sub u1 s0; store t1 }")
	require.NoError(t, err)
	canon, order := Canonical(c)
	require.Equal(t, "reduce [add] kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }", canon.Signature())
	require.Equal(t, []int{1, 0}, order)
	require.NoError(t, canon.Verify())
	fast := InTier(c, true)
	require.Equal(t, canon.Signature(), fast.Signature())
}

func TestReferences(t *testing.T) {
	b := &fakeBlock{rows: 2, cols: 3, args: [][]uint64{{1, 2, 3, 4, 5, 6}, make([]uint64, 6)}, width: []int{3, 3}}
	identity := func(k *Kernel) *Kernel { return k }
	ReferenceOf(&Micro{Kind: StoreNT, Type: ir.Uint8}, identity)(ir.Defined, b)
	require.Equal(t, b.args[0], b.args[1])
	b.width[0] = 2 // the lines of the input are the columns
	ReferenceOf(&Micro{Kind: Transpose, Type: ir.Uint32}, identity)(ir.Defined, b)
	require.Equal(t, []uint64{1, 3, 5, 2, 4, 6}, b.args[1])
	scan := &fakeBlock{rows: 1, cols: 3, args: [][]uint64{{1, 2, 3}, {10}, {100}, make([]uint64, 3), {0}, {0}}, width: []int{3, 1, 1, 3, 1, 1}}
	ReferenceOf(&Micro{Kind: ScanRows, Op: ir.OpAdd, Type: ir.Int32, Carry: true}, identity)(ir.Defined, scan)
	require.Equal(t, [][]uint64{{111, 113, 116}, {16}, {116}}, scan.args[3:])
	dot := &fakeBlock{rows: 1, cols: 2, fields: []int{0, 2, 1, 0}, args: [][]uint64{{2, 3}, {1, 10, 100, 1000}, {5, 7}}, width: []int{2, 2, 2}}
	ReferenceOf(&Micro{Kind: Dot, Type: ir.Int32}, identity)(ir.Defined, dot)
	require.Equal(t, []uint64{2 + 300 + 5, 20 + 3000 + 7}, dot.args[2])
}

// fakeBlock is a block of dense arguments.
type fakeBlock struct {
	rows, cols int
	fields     []int
	args       [][]uint64
	width      []int // of a line
}

func (b *fakeBlock) Rows() int                        { return b.rows }
func (b *fakeBlock) Cols() int                        { return b.cols }
func (b *fakeBlock) Field(i int) int                  { return b.fields[i] }
func (b *fakeBlock) Get(arg, outer, inner int) uint64 { return b.args[arg][outer*b.width[arg]+inner] }
func (b *fakeBlock) Set(arg, outer, inner int, v uint64) {
	b.args[arg][outer*b.width[arg]+inner] = v
}
