package arrow

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

var (
	ctx  = context.Background()
	heap = memory.NewGoAllocator()
)

// floats returns an array of numbers with nulls where valid is false.
func floats(values []float64, valid []bool) *array.Float64 {
	b := array.NewFloat64Builder(heap)
	defer b.Release()
	b.AppendValues(values, valid)
	return b.NewFloat64Array()
}

// drawn is a slice of an array of random numbers, and what it has.
func drawn(t *rapid.T) (a *array.Float64, values []float64, valid []bool) {
	values = rapid.SliceOfN(rapid.Map(rapid.IntRange(-50, 50), func(i int) float64 { return float64(i) / 4 }), 0, 70).Draw(t, "values")
	valid = rapid.SliceOfN(rapid.Bool(), len(values), len(values)).Draw(t, "valid")
	if rapid.Bool().Draw(t, "no nulls") {
		valid = nil
	}
	from := rapid.IntRange(0, len(values)).Draw(t, "from")
	to := rapid.IntRange(from, len(values)).Draw(t, "to")
	a = array.NewSlice(floats(values, valid), int64(from), int64(to)).(*array.Float64)
	if valid == nil {
		valid = make([]bool, len(values))
		for i := range valid {
			valid[i] = true
		}
	}
	return a, values[from:to], valid[from:to]
}

// tableOf returns a table of one column of chunks.
func tableOf(name string, chunks ...arrow.Array) arrow.Table {
	schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: chunks[0].DataType(), Nullable: true}}, nil)
	return array.NewTableFromSlice(schema, [][]arrow.Array{chunks})
}

// TestTensorIsTheArray: a tensor has the rows of a slice, in its memory, and Valid has its nulls.
func TestTensorIsTheArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, values, valid := drawn(t)
		x, err := Tensor(a)
		require.NoError(t, err)
		got, err := graph.Data[float64](x)
		require.NoError(t, err)
		require.Len(t, got, len(values))
		bits, err := Valid(a)
		require.NoError(t, err)
		require.Equal(t, []int{len(values)}, bits.Shape())
		for i := range values {
			is, err := graph.At[bool](bits, i)
			require.NoError(t, err)
			require.Equal(t, valid[i], is)
			if is {
				require.Equal(t, values[i], got[i])
			}
			require.Same(t, &a.Float64Values()[i], &got[i], "without a copy")
		}
	})
}

// TestTypes: each type of the table has its values, at an offset.
func TestTypes(t *testing.T) {
	for id, want := range columns {
		dt := map[arrow.Type]arrow.DataType{arrow.TIME32: arrow.FixedWidthTypes.Time32s, arrow.TIME64: arrow.FixedWidthTypes.Time64us, arrow.TIMESTAMP: arrow.FixedWidthTypes.Timestamp_ns, arrow.DURATION: arrow.FixedWidthTypes.Duration_s, arrow.DATE32: arrow.FixedWidthTypes.Date32, arrow.DATE64: arrow.FixedWidthTypes.Date64, arrow.FLOAT16: arrow.FixedWidthTypes.Float16}[id]
		if dt == nil {
			for _, p := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64} {
				if p.ID() == id {
					dt = p
				}
			}
		}
		b := array.NewBuilder(heap, dt)
		for _, text := range []string{"1", "2", "3"} {
			if err := b.AppendValueFromString(text); err != nil {
				b.AppendEmptyValue() // a date or a time, which is written otherwise
			}
		}
		whole := b.NewArray()
		x, err := Tensor(array.NewSlice(whole, 1, 3))
		require.NoError(t, err, dt)
		require.Equal(t, want.dtype, x.DType(), dt)
		require.Equal(t, []int{2}, x.Shape(), dt)
		all, err := Tensor(whole)
		require.NoError(t, err)
		require.True(t, graph.Equal(all.Slice("1:"), x), dt)
		require.Equal(t, dt.(arrow.FixedWidthDataType).BitWidth(), want.dtype.Bits(), dt)
	}
}

func TestBooleansAndDictionaries(t *testing.T) {
	b := array.NewBooleanBuilder(heap)
	b.AppendValues([]bool{true, false, true, true}, nil)
	x, err := Tensor(array.NewSlice(b.NewArray(), 1, 4))
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]bool{false, true, true}), x))

	d := array.NewDictionaryBuilder(heap, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	for _, s := range []string{"a", "b", "a", "c"} {
		require.NoError(t, d.AppendString(s))
	}
	x, err = Tensor(array.NewSlice(d.NewArray(), 1, 4))
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]int8{1, 0, 2}), x))

	other := array.NewDictionaryBuilder(heap, d.Type().(*arrow.DictionaryType)).(*array.BinaryDictionaryBuilder)
	require.NoError(t, other.AppendString("z"))
	require.NoError(t, d.AppendString("a"))
	one, two := d.NewArray(), other.NewArray()
	_, _, err = Source(tableOf("k", one, one).Column(0)).Open()
	require.NoError(t, err)
	_, _, err = Source(tableOf("k", one, two).Column(0)).Open()
	require.EqualError(t, err, `column "k": its chunks have different dictionaries: unify them first`)
	k := Reader("k", 2, func() (array.RecordReader, error) { // the reader of a file would replace the dictionary
		schema := tableOf("k", one).Schema()
		return array.NewRecordReader(schema, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{one}, 1), array.NewRecordBatch(schema, []arrow.Array{two}, 1)})
	})
	_, _, err = k.Open()
	require.NoError(t, err)
	_, _, err = k.Read(ctx, 0, 2, func() *graph.Tensor { return graph.New(graph.Int8, 2) })
	require.EqualError(t, err, `column "k": the iterator after row 1: its chunks have different dictionaries: unify them first`)
	require.NoError(t, k.Close())

	nulls := array.NewNull(3)
	valid, err := Valid(nulls)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of(make([]bool, 3)), valid))
}

// TestNoValues: an array that says it has rows but has no memory for them is an error.
func TestNoValues(t *testing.T) {
	for _, d := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Float64} {
		data := array.NewData(d, 3, []*memory.Buffer{nil, nil}, nil, 3, 0)
		a := array.MakeFromData(data)
		_, err := Tensor(a)
		require.ErrorContains(t, err, "rows 0 to 3 are not in a buffer of 0 b")
		a.Release()
		data.Release()
	}
}

// TestNil: arguments that are nil are errors.
func TestNil(t *testing.T) {
	_, err := Tensor(nil)
	require.EqualError(t, err, "the array is nil")
	_, err = Valid(nil)
	require.EqualError(t, err, "the array is nil")
	_, err = Feeds(nil, nil)
	require.EqualError(t, err, "the program is nil")
	_, err = Feeds(new(graph.Program), nil)
	require.EqualError(t, err, "the record batch is nil")
	_, _, err = New(nil, arrow.PrimitiveTypes.Float64, 3, nil)
	require.EqualError(t, err, "the allocator or the type of a new array is nil")
	_, err = Describe(ctx, nil)
	require.EqualError(t, err, "the table is nil")
	_, err = DescribeBy(ctx, nil, "k", "x")
	require.EqualError(t, err, "the table is nil")
	_, err = Quantiles(ctx, nil, "x", 0.5)
	require.EqualError(t, err, "the table is nil")
	_, _, err = Source(nil).Open()
	require.EqualError(t, err, "the column is nil")
	_, _, err = Reader("x", 1, nil).Open()
	require.EqualError(t, err, `column "x": the function that opens the file is nil`)
	_, _, err = ValidReader("x", 1, func() (array.RecordReader, error) { return nil, nil }).Open()
	require.EqualError(t, err, `column "x": the function that opens the file returned neither a reader nor an error`)
}

// TestWithoutBits: the nulls of a run-end encoded array and of a union are in other arrays, so Valid refuses them.
func TestWithoutBits(t *testing.T) {
	runs := array.MakeArrayOfNull(heap, arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int8), 3)
	_, err := Valid(runs)
	require.EqualError(t, err, "an array of type run_end_encoded<run_ends: int32, values: int8> has no bits of validity")
	_, _, err = Source(tableOf("r", runs).Column(0)).Open()
	require.ErrorContains(t, err, `column "r": a column of type run_end_encoded`)
}

// TestEmptyTables: tables without rows and columns without chunks have no values.
func TestEmptyTables(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: words, Nullable: true}, {Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil)
	for _, chunks := range [][][]arrow.Array{{{}, {}}, {{array.MakeArrayOfNull(heap, words, 0)}, {floats(nil, nil)}}} {
		table := array.NewTableFromSlice(schema, chunks)
		stats, err := Describe(ctx, table, "x")
		require.NoError(t, err)
		require.True(t, stats[0].Count == 0 && stats[0].Sum == 0 && math.IsNaN(stats[0].Mean) && math.IsNaN(stats[0].Min))
		middle, err := Quantiles(ctx, table, "x", 0.5)
		require.NoError(t, err)
		require.True(t, math.IsNaN(middle[0]))
		groups, err := DescribeBy(ctx, table, "k", "x")
		require.NoError(t, err)
		require.Equal(t, [][]Stats{{}}, groups)
	}
	n := graph.Dim("n")
	p, err := graph.Compile(graph.Where(graph.Input("valid_x", graph.Bool, n), graph.Input("x", graph.Float64, n), 0).Sum())
	require.NoError(t, err)
	of := arrow.NewSchema(schema.Fields()[1:], nil)
	feeds, err := Feeds(p, array.NewRecordBatch(of, []arrow.Array{floats(nil, nil)}, 0))
	require.NoError(t, err)
	out, err := p.RunNamed(ctx, feeds)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.ScalarOf(0.0), out["out0"]))
}

// TestEndedContexts: every function stops, and names the column.
func TestEndedContexts(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	b := array.NewInt64Builder(heap)
	b.AppendValues([]int64{0, 1, 0}, []bool{false, true, true})
	table := tableOf("k", b.NewArray())
	_, err := Quantiles(ended, table, "k", 0.5)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, `column "k"`)
	_, err = DescribeBy(ended, table, "k", "k")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, `column "k"`)
}

// TestBlocksAreTheChunk: a block of a Source that lies within a chunk is the chunk's memory.
func TestBlocksAreTheChunk(t *testing.T) {
	second := floats([]float64{3, 4, 5, 6}, nil)
	s := Source(tableOf("x", floats([]float64{1, 2}, nil), array.NewSlice(second, 1, 4)).Column(0))
	_, shape, err := s.Open()
	require.NoError(t, err)
	require.Equal(t, []int{5}, shape)
	block, release, err := s.Read(ctx, 3, 5, func() *graph.Tensor { panic("the block is copied") })
	require.NoError(t, err)
	defer release()
	rows, err := graph.Data[float64](block)
	require.NoError(t, err)
	require.Same(t, &second.Float64Values()[2], &rows[0])
}

// TestFeeds: inputs are columns by name; mistakes name the column.
func TestFeeds(t *testing.T) {
	n := graph.Dim("n")
	price, size := graph.Input("price", graph.Float64, n), graph.Input("size", graph.Float64, n)
	p, err := graph.Compile(graph.Where(graph.Input("valid_price", graph.Bool, n), price, 0).Mul(size).Sum())
	require.NoError(t, err)
	field := func(name string, dt arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: dt, Nullable: true}
	}
	a, b := floats([]float64{1, 2, 3}, []bool{true, false, true}), floats([]float64{4, 5, 6}, nil)
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("size", a.DataType()), field("price", a.DataType())}, nil), []arrow.Array{b, a}, 3)
	feeds, err := Feeds(p, batch)
	require.NoError(t, err)
	out, err := p.RunNamed(ctx, feeds)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.ScalarOf(22.0), out["out0"]))

	texts := array.NewStringBuilder(heap)
	texts.AppendValues([]string{"x", "y", "z"}, nil)
	narrow := array.NewFloat32Builder(heap)
	narrow.AppendValues([]float32{1, 2, 3}, nil)
	for want, column := range map[string]arrow.Array{
		`column "price": a column of type utf8: want numbers, booleans, times or a dictionary`: texts.NewArray(),
		`column "price": its elements are float32, those of the input float64`:                 narrow.NewArray(),
	} {
		batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("size", b.DataType()), field("price", column.DataType())}, nil), []arrow.Array{b, column}, 3)
		_, err := Feeds(p, batch)
		require.EqualError(t, err, want)
	}
	twice := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{field("price", a.DataType()), field("price", a.DataType())}, nil), []arrow.Array{a, a}, 3)
	_, err = Feeds(p, twice)
	require.EqualError(t, err, `column "price": 2 columns have this name`)
}

// TestNew: a program writes the memory of an allocator, and all of it is given back.
func TestNew(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rapid.Check(t, func(t *rapid.T) {
		a, values, valid := drawn(t)
		x, err := Tensor(a)
		require.NoError(t, err)
		p, err := graph.Compile(graph.Input("x", graph.Float64, graph.Dim("n")).Mul(2).Cast(graph.Float32))
		require.NoError(t, err)
		out, into, err := New(mem, arrow.PrimitiveTypes.Float32, a.Len(), a)
		require.NoError(t, err)
		defer out.Release()
		require.NoError(t, p.RunInto(ctx, []*graph.Tensor{into}, x))
		require.Equal(t, a.NullN(), out.NullN())
		for i := range values {
			require.Equal(t, !valid[i], out.IsNull(i))
			if valid[i] {
				require.Equal(t, float32(2*values[i]), out.(*array.Float32).Value(i))
			}
		}
	})
	none, _, err := New(mem, arrow.PrimitiveTypes.Int8, 3, array.NewNull(3))
	require.NoError(t, err)
	require.Equal(t, "[(null) (null) (null)]", none.String())
	none.Release()
	_, _, err = New(mem, arrow.BinaryTypes.String, 1, nil)
	require.EqualError(t, err, "an array of type utf8: want numbers or times")
	_, _, err = New(mem, arrow.PrimitiveTypes.Int8, 2, floats([]float64{1}, nil))
	require.EqualError(t, err, "an array of 2 rows with the nulls of one of 1")
	for _, n := range []int{-1, math.MaxInt} {
		_, _, err = New(mem, arrow.PrimitiveTypes.Int64, n, nil)
		require.ErrorContains(t, err, "an array of ")
	}
}

// TestSources: a job over the chunks of a column gives the bits of a run on all rows.
func TestSources(t *testing.T) {
	x, valid := graph.Input("x", graph.Float64, graph.Dim("n")), graph.Input("valid", graph.Bool, graph.Dim("n"))
	p, err := graph.Compile(graph.Where(valid, x.Exp(), 0).Sum(), graph.Where(valid, x.Mul(3), -1))
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var chunks []arrow.Array
		var values []float64
		var is []bool
		for range rapid.IntRange(1, 5).Draw(t, "chunks") {
			a, v, ok := drawn(t)
			chunks, values, is = append(chunks, a), append(values, v...), append(is, ok...)
		}
		if len(values) == 0 {
			return
		}
		column := tableOf("x", chunks...).Column(0)
		var rows stream.InMemory
		job := stream.Job{
			Program: p, Rows: rapid.IntRange(1, 40).Draw(t, "rows"),
			Inputs:  map[string]stream.Source{"x": Source(column), "valid": ValidSource(column)},
			Outputs: map[string]stream.Sink{"out1": &rows},
		}
		got, err := job.Run(ctx)
		require.NoError(t, err)
		want, err := p.RunAll(ctx, graph.Of(values), graph.Of(is))
		require.NoError(t, err)
		require.True(t, graph.Equal(want[0], got["out0"]))
		require.True(t, graph.Equal(want[1], rows.Tensor))
	})
	job := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": ValidSource(tableOf("flag", floats([]float64{1}, nil)).Column(0)), "valid": ValidSource(tableOf("x", floats([]float64{1}, nil)).Column(0))}, Outputs: map[string]stream.Sink{"out1": new(stream.InMemory)}}
	_, err = job.Run(ctx)
	require.EqualError(t, err, `stream: input x float64[n]: column "flag" has bool [1]`)
	texts := array.NewStringBuilder(heap)
	texts.Append("x")
	_, _, err = Source(tableOf("s", texts.NewArray()).Column(0)).Open()
	require.EqualError(t, err, `column "s": a column of type utf8: want numbers, booleans, times or a dictionary`)
}

// TestReaders: a job over a file of batches gives the bits of a run on all rows, in several passes, and each reader is
// released.
func TestReaders(t *testing.T) {
	x, valid := graph.Input("x", graph.Float64, graph.Dim("n")), graph.Input("valid", graph.Bool, graph.Dim("n"))
	clean := graph.Where(valid, x, 0)
	p, err := graph.Compile(clean.Sub(clean.Mean()).Square().Sum()) // the rows are read twice
	require.NoError(t, err)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rapid.Check(t, func(t *rapid.T) {
		var values []float64
		var is []bool
		var file bytes.Buffer
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil)
		w := ipc.NewWriter(&file, ipc.WithSchema(schema))
		for range rapid.IntRange(1, 5).Draw(t, "batches") {
			a, v, ok := drawn(t)
			require.NoError(t, w.Write(array.NewRecordBatch(schema, []arrow.Array{a}, int64(a.Len()))))
			values, is = append(values, v...), append(is, ok...)
		}
		require.NoError(t, w.Close())
		if len(values) == 0 {
			return
		}
		open := func() (array.RecordReader, error) {
			return ipc.NewReader(bytes.NewReader(file.Bytes()), ipc.WithAllocator(mem))
		}
		job := stream.Job{
			Program: p, Rows: rapid.IntRange(1, 40).Draw(t, "rows"),
			Inputs: map[string]stream.Source{"x": Reader("x", len(values), open), "valid": ValidReader("x", len(values), open)},
		}
		got, err := job.Run(ctx)
		require.NoError(t, err)
		want, err := p.Run(ctx, graph.Of(values), graph.Of(is))
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got["out0"]))

		_, _, err = Reader("y", 1, open).Open()
		require.EqualError(t, err, `column "y": 0 columns have this name`)
		job.Inputs["x"] = Reader("x", len(values)+1, open)
		_, err = job.Run(ctx)
		require.ErrorContains(t, err, `column "x"`)
	})
	_, _, err = Reader("x", 1, func() (array.RecordReader, error) { return ipc.NewReader(bytes.NewReader([]byte("no file"))) }).Open()
	require.ErrorContains(t, err, `column "x": `)
	require.NoError(t, Reader("x", 1, nil).Close())
}

// TestDescribe compares with sums of loops, for any chunks.
func TestDescribe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var chunks []arrow.Array
		var values []float64
		rows := 0
		for range rapid.IntRange(1, 4).Draw(t, "chunks") {
			a, v, ok := drawn(t)
			chunks = append(chunks, a)
			rows += len(v)
			for i := range v {
				if ok[i] {
					values = append(values, v[i])
				}
			}
		}
		got, err := Describe(ctx, tableOf("x", chunks...), "x")
		require.NoError(t, err)
		want := Stats{Name: "x", Count: len(values), Nulls: rows - len(values), Mean: math.NaN(), Variance: math.NaN(), Min: math.NaN(), Max: math.NaN()}
		if len(values) > 0 {
			want.Min, want.Max, want.Variance = values[0], values[0], 0
			for _, v := range values {
				want.Sum += v
				want.Min, want.Max = min(want.Min, v), max(want.Max, v)
			}
			want.Mean = want.Sum / float64(len(values))
			for _, v := range values {
				want.Variance += (v - want.Mean) * (v - want.Mean) / float64(len(values))
			}
		}
		g := got[0]
		require.Equal(t, []any{want.Name, want.Count, want.Nulls, want.Sum}, []any{g.Name, g.Count, g.Nulls, g.Sum})
		for _, pair := range [][2]float64{{want.Mean, g.Mean}, {want.Variance, g.Variance}, {want.Min, g.Min}, {want.Max, g.Max}} {
			require.True(t, math.IsNaN(pair[0]) && math.IsNaN(pair[1]) || math.Abs(pair[0]-pair[1]) <= 1e-9, "%+v %+v", want, g)
		}
	})
}

// TestQuantiles compares with graph.Quantiles of the values, for any chunks. Of equal values, the sign of 0 may differ.
func TestQuantiles(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, -math.MaxFloat64, 1, math.Nextafter(1, 2)}
	rapid.Check(t, func(t *rapid.T) {
		var chunks []arrow.Array
		var values []float64
		for range rapid.IntRange(1, 3).Draw(t, "chunks") {
			v := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(special), rapid.Float64()), 0, 20).Draw(t, "values")
			ok := rapid.SliceOfN(rapid.Bool(), len(v), len(v)).Draw(t, "valid")
			chunks = append(chunks, floats(v, ok))
			for i := range v {
				if ok[i] {
					values = append(values, v[i])
				}
			}
		}
		qs := append(rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 3).Draw(t, "qs"), 0, 0.5, 1)
		got, err := Quantiles(ctx, tableOf("x", chunks...), "x", qs...)
		require.NoError(t, err)
		if len(values) == 0 {
			require.True(t, math.IsNaN(got[0]) && math.IsNaN(got[len(got)-1]))
			return
		}
		p, err := graph.Compile(graph.Const(graph.Of(values)).Quantiles(qs))
		require.NoError(t, err)
		want, err := p.Run(ctx)
		require.NoError(t, err)
		wanted, err := graph.Data[float64](want)
		require.NoError(t, err)
		for i, w := range wanted {
			require.True(t, w == got[i] || math.IsNaN(w) && math.IsNaN(got[i]), "%v of %v: %v, want %v", qs, values, got, wanted)
		}
	})
	got, err := Quantiles(ctx, tableOf("x", floats([]float64{1, math.NaN(), 3, 5}, []bool{true, false, true, true})), "x", 0.5)
	require.NoError(t, err)
	require.Equal(t, []float64{3}, got, "a NaN under a null is no value")
	got, err = Quantiles(ctx, tableOf("x", floats([]float64{1, math.NaN(), 3}, nil)), "x", 0.5, 0)
	require.NoError(t, err)
	require.True(t, math.IsNaN(got[0]) && math.IsNaN(got[1]))
	bytes := array.NewInt8Builder(heap)
	bytes.AppendValues([]int8{-128, 127, 3, -3}, nil)
	got, err = Quantiles(ctx, tableOf("b", bytes.NewArray()), "b", 0, 0.25, 0.5, 1)
	require.NoError(t, err)
	require.Equal(t, []float64{-128, -34.25, 0, 127}, got)
	for want, q := range map[string]float64{`column "x": quantile 2: want 0 to 1`: 2, `column "x": quantile NaN: want 0 to 1`: math.NaN()} {
		_, err = Quantiles(ctx, tableOf("x", floats([]float64{1}, nil)), "x", q)
		require.EqualError(t, err, want)
	}
	texts := array.NewStringBuilder(heap)
	texts.AppendValues([]string{"x"}, nil)
	_, err = Quantiles(ctx, tableOf("s", texts.NewArray()), "s", 0.5)
	require.EqualError(t, err, `column "s": quantiles of type utf8: want numbers or times`)
}

func TestDescribeTypesAndMistakes(t *testing.T) {
	far := array.NewInt64Builder(heap) // far from 0 beside their distances
	far.AppendValues([]int64{1_000_000_000_001, 1_000_000_000_003}, nil)
	nan := floats([]float64{1, math.NaN(), 3}, nil)
	texts := array.NewStringBuilder(heap)
	texts.AppendValues([]string{"x", "y"}, nil)
	table := array.NewTableFromSlice(arrow.NewSchema([]arrow.Field{{Name: "far", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil), [][]arrow.Array{{far.NewArray()}, {texts.NewArray()}})
	got, err := Describe(ctx, table)
	require.NoError(t, err)
	require.Equal(t, []Stats{{Name: "far", Count: 2, Sum: 2_000_000_000_004, Mean: 1_000_000_000_002, Variance: 1, Min: 1_000_000_000_001, Max: 1_000_000_000_003}}, got)
	_, err = Describe(ctx, table, "s")
	require.EqualError(t, err, `column "s": aggregates of type utf8: want numbers or times`)
	_, err = Describe(ctx, table, "none")
	require.EqualError(t, err, `column "none": 0 columns have this name`)
	got, err = Describe(ctx, tableOf("x", nan))
	require.NoError(t, err)
	require.True(t, math.IsNaN(got[0].Sum) && math.IsNaN(got[0].Min) && math.IsNaN(got[0].Max) && math.IsNaN(got[0].Variance))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = Describe(ended, tableOf("x", nan))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, `column "x"`)
}

// TestDescribeBy compares with Describe of the rows of each group, for chunks that differ between the columns, keys of
// any integer type and dictionaries, nulls in both.
func TestDescribeBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, values, valid := drawn(t)
		n := len(values)
		keys := rapid.SliceOfN(rapid.IntRange(0, 4), n, n).Draw(t, "keys")
		known := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "known")
		groups := [6][]float64{}
		nulls := [6]int{}
		integers, words := array.NewUint8Builder(heap), array.NewDictionaryBuilder(heap, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
		for g := range 5 { // so that the index of a word is its number
			require.NoError(t, words.AppendString(string(rune('a'+g))))
		}
		for i, k := range keys {
			if !known[i] {
				integers.AppendNull()
				words.AppendNull()
				continue
			}
			integers.Append(uint8(k))
			require.NoError(t, words.AppendString(string(rune('a'+k))))
			if valid[i] {
				groups[k] = append(groups[k], values[i])
			} else {
				nulls[k]++
			}
		}
		cut := rapid.IntRange(0, n).Draw(t, "cut")
		for _, key := range []arrow.Array{integers.NewArray(), array.NewSlice(words.NewArray(), 5, int64(5+n))} {
			schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: key.DataType(), Nullable: true}, {Name: "x", Type: x.DataType(), Nullable: true}}, nil)
			table := array.NewTable(schema, []arrow.Column{columnOf(schema, 0, key), columnOf(schema, 1, array.NewSlice(x, 0, int64(cut)), array.NewSlice(x, int64(cut), int64(n)))}, int64(n))
			got, err := DescribeBy(ctx, table, "k", "x", "x")
			require.NoError(t, err)
			require.Len(t, got, 2)
			for g, s := range got[1] {
				want, err := Describe(ctx, tableOf("x", floats(groups[g], nil)))
				require.NoError(t, err)
				w := want[0]
				require.Equal(t, []any{w.Name, w.Count, nulls[g], w.Sum}, []any{s.Name, s.Count, s.Nulls, s.Sum})
				for _, pair := range [][2]float64{{w.Mean, s.Mean}, {w.Variance, s.Variance}, {w.Min, s.Min}, {w.Max, s.Max}} {
					require.True(t, math.IsNaN(pair[0]) && math.IsNaN(pair[1]) || math.Abs(pair[0]-pair[1]) <= 1e-9, "%+v %+v", w, s)
				}
			}
		}
	})
	for want, keys := range map[string][]int64{
		`column "k": keys from -1 to 2: want 0 to 16777215`:            {2, -1},
		`column "k": keys from 0 to 1.6777216e+07: want 0 to 16777215`: {0, 1 << 24},
	} {
		b := array.NewInt64Builder(heap)
		b.AppendValues(keys, nil)
		_, err := DescribeBy(ctx, tableOf("k", b.NewArray()), "k", "k")
		require.EqualError(t, err, want)
	}
	_, err := DescribeBy(ctx, tableOf("x", floats([]float64{1}, nil)), "x", "x")
	require.EqualError(t, err, `column "x": a key of type float64: want integers or a dictionary`)
	_, err = DescribeBy(ctx, tableOf("x", floats([]float64{1}, nil)), "k", "x")
	require.EqualError(t, err, `column "k": 0 columns have this name`)
}

// columnOf returns a column of chunks.
func columnOf(schema *arrow.Schema, at int, chunks ...arrow.Array) arrow.Column {
	return *arrow.NewColumn(schema.Field(at), arrow.NewChunked(schema.Field(at).Type, chunks))
}

// TestDescribeReadsOnce: aggregates of a chunk of many blocks, with and without nulls, are those of loops, and the
// program reads each row from memory once.
func TestDescribeReadsOnce(t *testing.T) {
	for _, share := range []float64{0, 0.01, 0.5} {
		const n = 100*blockRows + 77
		a := random(n, share).(*array.Float64)
		got, err := Describe(ctx, tableOf("x", a))
		require.NoError(t, err)
		want := Stats{Name: "x", Nulls: a.NullN(), Count: n - a.NullN(), Min: math.Inf(1), Max: math.Inf(-1)}
		for i, v := range a.Float64Values() {
			if a.IsValid(i) {
				want.Sum += v
				want.Min, want.Max = min(want.Min, v), max(want.Max, v)
			}
		}
		want.Mean = want.Sum / float64(want.Count)
		for i, v := range a.Float64Values() {
			if a.IsValid(i) {
				want.Variance += (v - want.Mean) * (v - want.Mean) / float64(want.Count)
			}
		}
		g := got[0]
		require.Equal(t, []any{want.Count, want.Nulls, want.Min, want.Max}, []any{g.Count, g.Nulls, g.Min, g.Max})
		require.InDelta(t, want.Sum, g.Sum, 1e-8)
		require.InDelta(t, want.Variance, g.Variance, 1e-11)

		p, err := compile(graph.Float64)
		require.NoError(t, err)
		_, err = blocks(ctx, p, array.NewSlice(a, 0, 100*blockRows))
		require.NoError(t, err)
		moved, least := p.Traffic()
		require.Less(t, float64(moved), 1.01*float64(least))
	}
}
