package arrow

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// peak is an allocator that knows the most bytes it ever had in use.
type peak struct {
	memory.Allocator
	mu         sync.Mutex
	used, most int
}

func (p *peak) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used += n
	p.most = max(p.most, p.used)
}

func (p *peak) Allocate(n int) []byte { p.count(n); return p.Allocator.Allocate(n) }
func (p *peak) Free(b []byte)         { p.count(-len(b)); p.Allocator.Free(b) }
func (p *peak) Reallocate(n int, b []byte) []byte {
	p.count(n - len(b))
	return p.Allocator.Reallocate(n, b)
}

const (
	fileRows  = 2_000_000
	batchRows = 50_000
)

var fileSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
}, nil)

// fileBatches returns the batches of a file of 32 MB. A tenth of the prices are null.
func fileBatches() (batches []arrow.RecordBatch) {
	r := rand.New(rand.NewPCG(1, 2))
	for range fileRows / batchRows {
		b := array.NewRecordBuilder(heap, fileSchema)
		for range batchRows {
			b.Field(0).(*array.Int64Builder).Append(r.Int64N(1000))
			if r.IntN(10) == 0 {
				b.Field(1).AppendNull()
			} else {
				b.Field(1).(*array.Float64Builder).Append(r.NormFloat64())
			}
		}
		batches = append(batches, b.NewRecordBatch())
	}
	return batches
}

// TestFiles runs a job of two passes over a Parquet and an IPC file. The result has the bits of a run in memory; the
// buffers of Arrow, of two readers at a time, and those of the job stay far below the file's 32 MB.
func TestFiles(t *testing.T) {
	batches := fileBatches()
	table := array.NewTableFromRecords(fileSchema, batches)
	dir := t.TempDir()
	parquetName, ipcName := filepath.Join(dir, "prices.parquet"), filepath.Join(dir, "prices.arrow")
	create := func(name string) *os.File {
		f, err := os.Create(name)
		require.NoError(t, err)
		return f
	}
	properties := parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(4 * batchRows))
	require.NoError(t, pqarrow.WriteTable(table, create(parquetName), batchRows, properties, pqarrow.DefaultWriterProps()))
	w := ipc.NewWriter(create(ipcName), ipc.WithSchema(fileSchema))
	for _, b := range batches {
		require.NoError(t, w.Write(b))
	}
	require.NoError(t, w.Close())

	n := graph.Dim("n")
	price, valid := graph.Input("price", graph.Float64, n), graph.Input("valid", graph.Bool, n)
	mean := graph.Where(valid, price, 0).Sum().Div(valid.Sum().Cast(graph.Float64))
	p, err := graph.Compile(mean, graph.Where(valid, price.Sub(mean).Square(), 0).Sum()) // which needs the mean first
	require.NoError(t, err)
	jobOf := func(x, valid stream.Source) *stream.Job {
		return &stream.Job{Program: p, Memory: 2 << 20, Inputs: map[string]stream.Source{"price": x, "valid": valid}}
	}
	column := table.Column(1)
	want, err := jobOf(Source(column), ValidSource(column)).Run(ctx)
	require.NoError(t, err)

	mem := &peak{Allocator: memory.NewGoAllocator()}
	for name, open := range map[string]func() (array.RecordReader, error){
		"parquet": func() (array.RecordReader, error) { return openParquet(mem, parquetName) },
		"ipc":     func() (array.RecordReader, error) { return openIPC(mem, ipcName) },
	} {
		mem.most = 0
		got, err := jobOf(Reader("price", fileRows, open), ValidReader("price", fileRows, open)).Run(ctx)
		require.NoError(t, err, name)
		for out := range want {
			require.True(t, graph.Equal(want[out], got[out]), "%s: %s", name, out)
		}
		require.Zero(t, mem.used, name)
		require.Zero(t, opened.Load(), name)
		require.Less(t, mem.most, 10<<20, name)
		t.Logf("%s: Arrow's buffers had at most %d KiB", name, mem.most>>10)
	}

	require.NoError(t, os.Truncate(ipcName, 10<<20))
	broken := func() (array.RecordReader, error) { return openIPC(mem, ipcName) }
	_, err = jobOf(Reader("price", fileRows, broken), ValidReader("price", fileRows, broken)).Run(ctx)
	require.ErrorContains(t, err, `column "price": `)
	require.Zero(t, opened.Load())
}

// openParquet returns a reader of the batches of a Parquet file's column price.
func openParquet(mem memory.Allocator, name string) (array.RecordReader, error) {
	properties := parquet.NewReaderProperties(mem)
	properties.BufferedStreamEnabled = true // pages one after another, not whole row groups
	opened.Add(1)
	f, err := file.OpenParquetFile(name, false, file.WithReadProps(properties))
	if err != nil {
		return nil, err
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: batchRows}, mem)
	if err != nil {
		return nil, err
	}
	batches, err := r.GetRecordReader(ctx, []int{1}, nil)
	return closing{batches, f}, err
}

// closing is a reader with the file that it reads. opened counts those that were not closed.
type closing struct {
	array.RecordReader
	file io.Closer
}

var opened atomic.Int32

func (c closing) Close() error {
	opened.Add(-1)
	return c.file.Close()
}

// openIPC returns a reader of the batches of a file in the IPC streaming format.
func openIPC(mem memory.Allocator, name string) (array.RecordReader, error) {
	opened.Add(1)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := ipc.NewReader(f, ipc.WithAllocator(mem))
	return closing{r, f}, err
}
