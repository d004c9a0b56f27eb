package zarr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// zarrJSON is the file with the text.
const zarrJSON = "zarr.json"

// Reader reads an array. It is a stream.Source.
type Reader struct {
	folder string
	array  *array
}

// From returns a Reader of the array in a folder. Nothing is opened yet.
func From(folder string) *Reader { return &Reader{folder: folder} }

// Open reads zarr.json, and returns the element type and the shape.
func (r *Reader) Open() (graph.DType, []int, error) {
	text, err := os.ReadFile(filepath.Join(r.folder, zarrJSON))
	if err != nil {
		return 0, nil, err
	}
	if r.array, err = parse(text); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", filepath.Join(r.folder, zarrJSON), err)
	}
	return r.array.dtype, slices.Clone(r.array.shape), nil
}

// ChunkRows returns how many rows a chunk has.
func (r *Reader) ChunkRows() int { return r.array.rows() }

func (a *array) rows() int {
	if len(a.chunks) == 0 {
		return 1
	}
	return a.chunks[0]
}

// Read decodes the chunks that rows begin to end touch, into the tensor that buffer returns.
func (r *Reader) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	a, t := r.array, buffer()
	from := make([]int, len(a.shape))
	if len(from) > 0 {
		from[0] = begin
	}
	for o := range a.overlaps(begin, end) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		chunk, err := a.read(r.folder, o.index)
		if err != nil {
			return nil, nil, err
		}
		if err := graph.Copy(view(t, from, o.begin, o.end), view(chunk, a.origin(o.index), o.begin, o.end)); err != nil {
			return nil, nil, err
		}
	}
	return t, func() error { return nil }, nil
}

// Close does nothing.
func (r *Reader) Close() error { return nil }

// Options are how an array is stored.
type Options struct {
	// Chunks is the shape of a chunk; axes left out at the end are one chunk each. If all are
	// left out, a chunk has 1024 rows of a Writer, and rows of about 1 MB of WriteArray.
	Chunks []int
	Codecs []Codec // for the bytes of chunks, in order: none, Gzip, CRC32C
}

// Writer writes an array. It is a stream.Sink, for blocks of whole chunks.
type Writer struct {
	folder  string
	options Options
	array   *array
}

// The size of chunks unless Options say otherwise.
const (
	chunkRows  = 1 << 10 // of a Writer: ChunkRows is called before the shape is known
	chunkBytes = 1 << 20 // of WriteArray
)

// To returns a Writer of an array in a folder. Create returns an error if the Options do not
// suit the array. Nothing is written yet.
func To(folder string, o Options) *Writer { return &Writer{folder: folder, options: o} }

// ChunkRows returns how many rows a chunk has: the first of Options.Chunks, or 1024.
func (w *Writer) ChunkRows() int {
	if len(w.options.Chunks) == 0 {
		return chunkRows
	}
	return max(1, w.options.Chunks[0]) // Create refuses less
}

// Create writes zarr.json. If there is one already, it must be of the same array.
func (w *Writer) Create(dt graph.DType, shape []int) error {
	text, err := w.text(dt, shape)
	if err != nil {
		return err
	}
	if w.array, err = parse(text); err != nil {
		return err
	}
	w.array.codecs = w.options.Codecs
	name := filepath.Join(w.folder, zarrJSON)
	switch have, err := os.ReadFile(name); {
	case err == nil && string(have) == string(text):
		return nil
	case err == nil:
		return fmt.Errorf("%s: there is another array: remove it", name)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(w.folder, 0o777); err != nil {
		return err
	}
	return replace(name, text)
}

// text returns zarr.json.
func (w *Writer) text(dt graph.DType, shape []int) ([]byte, error) {
	if !slices.Contains(dtypes, dt) {
		return nil, fmt.Errorf("%s has no name in Zarr: Cast it", dt)
	}
	chunks, err := w.chunksOf(shape)
	if err != nil {
		return nil, err
	}
	config := func(v any) json.RawMessage {
		if v == nil {
			return nil
		}
		text, err := json.Marshal(v)
		if err != nil {
			panic("zarr: " + err.Error())
		}
		return text
	}
	fill := any(0)
	if dt == graph.Bool {
		fill = false
	}
	m := metadata{
		Format: 3, Node: "array", Shape: append([]int{}, shape...), DataType: config(dt.String()), Fill: config(fill),
		Grid:   named{"regular", config(gridConfig{append([]int{}, chunks...)})},
		Keys:   named{"default", config(keysConfig{"/"})},
		Codecs: []named{{"bytes", config(bytesConfig{"little"})}},
	}
	for _, c := range w.options.Codecs {
		m.Codecs = append(m.Codecs, named{c.Name(), config(c.Config())})
	}
	return json.MarshalIndent(m, "", "  ")
}

// chunksOf returns the shape of chunks of an array.
func (w *Writer) chunksOf(shape []int) ([]int, error) {
	given := w.options.Chunks
	if len(given) > len(shape) || slices.ContainsFunc(given, func(n int) bool { return n < 1 }) {
		return nil, fmt.Errorf("chunks of shape %v for an array of shape %v: at most one extent above 0 for each axis", given, shape)
	}
	chunks := slices.Clone(shape)
	for k, n := range chunks {
		switch {
		case k < len(given):
			chunks[k] = given[k]
		case k == 0:
			chunks[k] = max(1, min(n, chunkRows))
		default:
			chunks[k] = max(1, n) // an axis without elements has chunks of one
		}
	}
	return chunks, nil
}

// Write stores rows from begin on, which are whole chunks.
func (w *Writer) Write(ctx context.Context, begin int, t *graph.Tensor) error {
	a, end := w.array, 1
	from := make([]int, len(a.shape))
	if len(a.shape) > 0 {
		from[0], end = begin, begin+t.Extent(0)
		if n := a.chunks[0]; begin%n != 0 || end%n != 0 && end != a.shape[0] {
			return fmt.Errorf("rows %d to %d are no whole chunks, which have %d rows", begin, end, n)
		}
	}
	for o := range a.overlaps(begin, end) {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk := graph.New(a.dtype, a.chunks...)
		if err := graph.Copy(view(chunk, a.origin(o.index), o.begin, o.end), view(t, from, o.begin, o.end)); err != nil {
			return err
		}
		if err := a.write(w.folder, o.index, chunk); err != nil {
			return err
		}
	}
	return nil
}

// Read returns rows that were written.
func (w *Writer) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	return (&Reader{folder: w.folder, array: w.array}).Read(ctx, begin, end, buffer)
}

// Commit does nothing: each chunk is complete.
func (w *Writer) Commit() error { return nil }

// Close does nothing.
func (w *Writer) Close() error { return nil }

// ReadArray reads an array as a whole.
func ReadArray(folder string) (*graph.Tensor, error) {
	r := From(folder)
	dt, shape, err := r.Open()
	if err != nil {
		return nil, fmt.Errorf("zarr: %w", err)
	}
	t := graph.New(dt, shape...)
	if err := t.Err(); err != nil {
		return nil, fmt.Errorf("zarr: %w", err)
	}
	if _, _, err := r.Read(context.Background(), 0, extent(shape), func() *graph.Tensor { return t }); err != nil {
		return nil, fmt.Errorf("zarr: %w", err)
	}
	return t, nil
}

// WriteArray writes an array as a whole into a folder that has no other one.
func WriteArray(folder string, t *graph.Tensor, o Options) error {
	if err := t.Err(); err != nil {
		return err
	}
	if n := t.Rank(); n > 0 && len(o.Chunks) == 0 {
		rowBytes := t.Size() / max(1, t.Extent(0)) * t.DType().Size()
		o.Chunks = []int{max(1, min(t.Extent(0), chunkBytes/max(1, rowBytes)))}
	}
	w := To(folder, o)
	if err := w.Create(t.DType(), t.Shape()); err != nil {
		return fmt.Errorf("zarr: %w", err)
	}
	if err := w.Write(context.Background(), 0, t); err != nil {
		return fmt.Errorf("zarr: %w", err)
	}
	return nil
}

// extent returns the number of rows; a scalar is one.
func extent(shape []int) int {
	if len(shape) == 0 {
		return 1
	}
	return shape[0]
}
