package zarr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// Options say how an array is stored.
type Options struct {
	// Chunks is the shape of a chunk; trailing axes that are left out are one chunk each. Without Chunks, a chunk has
	// as many rows as fit 1 MB, at least one. For a Writer the number is also a power of two up to 1024, because blocks
	// of jobs are multiples of it.
	Chunks []int
	Codecs []Codec // codecs for the bytes of chunks, applied in order: none, Gzip, CRC32C
}

// Writer writes an array. It is a stream.Sink, for blocks of whole chunks.
type Writer struct {
	folder  string
	options Options
	array   *array
}

// The default size of chunks.
const (
	chunkRows  = 1 << 10 // the most rows of a Writer's chunk
	chunkBytes = 1 << 20
)

// rowsOf1MB returns how many rows fit chunkBytes, at least 1.
func rowsOf1MB(dt graph.DType, shape []int) int {
	n := max(1, dt.Size())
	for _, k := range shape[1:] {
		if k > chunkBytes/n {
			return 1
		}
		n *= max(1, k)
	}
	return max(1, chunkBytes/n)
}

// To returns a Writer of an array in a folder. It writes nothing yet; Create returns an error if the Options do not
// suit the array.
func To(folder string, o Options) *Writer { return &Writer{folder: folder, options: o} }

// ChunkRows returns the number of rows of a chunk.
func (w *Writer) ChunkRows(dt graph.DType, shape []int) int {
	switch {
	case len(w.options.Chunks) > 0:
		return max(1, w.options.Chunks[0]) // Create rejects smaller numbers
	case len(shape) == 0:
		return 1
	}
	return min(chunkRows, 1<<(bits.Len(uint(rowsOf1MB(dt, shape)))-1))
}

// Create writes zarr.json. An existing one must describe the same array.
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
	return replace(name, w.folder, text)
}

// text returns zarr.json.
func (w *Writer) text(dt graph.DType, shape []int) ([]byte, error) {
	if !slices.Contains(dtypes, dt) {
		return nil, fmt.Errorf("%s has no name in Zarr: Cast it", dt)
	}
	if slices.Contains(w.options.Codecs, nil) {
		return nil, errors.New("a codec is nil")
	}
	chunks, err := w.chunksOf(dt, shape)
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
func (w *Writer) chunksOf(dt graph.DType, shape []int) ([]int, error) {
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
			chunks[k] = max(1, min(n, w.ChunkRows(dt, shape)))
		default:
			chunks[k] = max(1, n) // an axis without elements has chunks of extent 1
		}
	}
	return chunks, nil
}

// errNotCreated is the error of calls before Create.
var errNotCreated = errors.New("zarr: the writer has no array: call Create first")

// Write stores rows from begin on, which must be whole chunks.
func (w *Writer) Write(ctx context.Context, begin int, t *graph.Tensor) error {
	a, end := w.array, 1
	if a == nil {
		return errNotCreated
	}
	if err := t.Err(); err != nil {
		return err
	}
	from := make([]int, len(a.shape))
	if len(a.shape) > 0 && t.Rank() > 0 {
		from[0], end = begin, begin+t.Extent(0)
	}
	if err := a.checkRows(begin, end, t); err != nil {
		return err
	}
	if len(a.shape) > 0 {
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

// Read returns rows that were written before.
func (w *Writer) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	return (&Reader{folder: w.folder, array: w.array}).Read(ctx, begin, end, buffer)
}

// Commit checks that each chunk has been written, and syncs their names to disk.
func (w *Writer) Commit() error {
	a, rows := w.array, 1
	if a == nil {
		return errNotCreated
	}
	if len(a.shape) > 0 {
		rows = a.shape[0]
	}
	for o := range a.overlaps(0, rows) {
		if _, err := os.Stat(a.file(w.folder, o.index)); err != nil {
			return fmt.Errorf("chunk %v has not been written: %w", o.index, err)
		}
	}
	if err := binfile.RemoveParts(w.folder); err != nil {
		return err
	}
	return binfile.SyncFolders(w.folder)
}

// Close does nothing.
func (w *Writer) Close() error { return nil }

// WriteArray writes a whole array into a folder that contains no other array.
func WriteArray(folder string, t *graph.Tensor, o Options) error {
	if err := t.Err(); err != nil {
		return err
	}
	if n := t.Rank(); n > 0 && len(o.Chunks) == 0 {
		o.Chunks = []int{max(1, min(t.Extent(0), rowsOf1MB(t.DType(), t.Shape())))}
	}
	w := To(folder, o)
	if err := w.Create(t.DType(), t.Shape()); err != nil {
		return fmt.Errorf("zarr: %w", err)
	}
	if err := w.Write(context.Background(), 0, t); err != nil {
		return fmt.Errorf("zarr: %w", err)
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("zarr: %w", err)
	}
	return nil
}
