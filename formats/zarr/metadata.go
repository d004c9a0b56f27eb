package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// metadata is the content of zarr.json for an array.
type metadata struct {
	Format     int             `json:"zarr_format"`
	Node       string          `json:"node_type"`
	Shape      []int           `json:"shape"`
	DataType   json.RawMessage `json:"data_type"`
	Grid       named           `json:"chunk_grid"`
	Keys       named           `json:"chunk_key_encoding"`
	Fill       json.RawMessage `json:"fill_value"`
	Codecs     []named         `json:"codecs"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Dimensions json.RawMessage `json:"dimension_names,omitempty"`
	Storage    []named         `json:"storage_transformers,omitempty"`
}

// named is an extension point of the format: a name and its settings.
type named struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"configuration,omitempty"`
}

type gridConfig struct {
	Chunks []int `json:"chunk_shape"`
}

type keysConfig struct {
	Separator string `json:"separator,omitempty"`
}

type bytesConfig struct {
	Endian string `json:"endian,omitempty"`
}

// dtypes maps the format's names to element types.
var dtypes = []graph.DType{
	graph.Bool, graph.Int8, graph.Int16, graph.Int32, graph.Int64,
	graph.Uint8, graph.Uint16, graph.Uint32, graph.Uint64, graph.Float16, graph.Float32, graph.Float64,
}

// array is the checked content of zarr.json, or of .zarray in format 2.
type array struct {
	dtype  graph.DType
	shape  []int
	chunks []int
	fill   []byte // one element, in this machine's byte order
	coder
	key func(index []int) string
}

// parse reads and checks the text of an array.
func parse(text []byte) (*array, error) {
	m, err := decode(text)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Format != 3:
		return nil, fmt.Errorf("format version %d in %s, which has version 3", m.Format, zarrJSON)
	case m.Node != "array":
		return nil, fmt.Errorf("it is a %s: name an array in it", m.Node)
	case len(m.Storage) > 0:
		return nil, fmt.Errorf("storage transformer %q is not known", m.Storage[0].Name)
	case m.Shape == nil:
		return nil, errors.New("it has no shape")
	}
	a := &array{shape: m.Shape}
	if a.dtype, err = parseType(m.DataType); err != nil {
		return nil, err
	}
	if _, err := binfile.NumBytes(a.dtype, a.shape); err != nil {
		return nil, err
	}
	if err := a.parseGrid(m.Grid); err != nil {
		return nil, err
	}
	if a.fill, err = parseFill(a.dtype, m.Fill); err != nil {
		return nil, err
	}
	if a.key, err = parseKeys(m.Keys); err != nil {
		return nil, err
	}
	a.coder, err = parseCodecs(m.Codecs, a.chunks)
	return a, err
}

// decode parses the text. Unknown fields are errors unless they say that readers may ignore them.
func decode(text []byte) (m metadata, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(quoteNumbers(text), &fields); err != nil {
		return m, err
	}
	maps.DeleteFunc(fields, func(_ string, field json.RawMessage) bool {
		extension := struct {
			MustUnderstand bool `json:"must_understand"`
		}{true}
		return json.Unmarshal(field, &extension) == nil && !extension.MustUnderstand
	})
	if text, err = json.Marshal(fields); err != nil {
		return m, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return m, d.Decode(&m)
}

func parseType(text json.RawMessage) (graph.DType, error) {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return 0, fmt.Errorf("elements of type %s are not read", text)
	}
	for _, dt := range dtypes {
		if dt.String() == name {
			return dt, nil
		}
	}
	return 0, fmt.Errorf("elements of type %q are not read: bool, integers and floats are", name)
}

func (a *array) parseGrid(g named) error {
	var c gridConfig
	if g.Name != "regular" {
		return fmt.Errorf("chunk grid %q is not known: regular is", g.Name)
	}
	if err := json.Unmarshal(g.Config, &c); err != nil {
		return fmt.Errorf("chunk_grid: %w", err)
	}
	return a.setChunks(c.Chunks)
}

// setChunks checks the shape of chunks.
func (a *array) setChunks(chunks []int) error {
	if len(chunks) != len(a.shape) || slices.ContainsFunc(chunks, func(n int) bool { return n < 1 }) {
		return fmt.Errorf("chunks of shape %v for an array of shape %v: one extent above 0 for each axis", chunks, a.shape)
	}
	a.chunks = chunks
	n, err := binfile.NumBytes(a.dtype, chunks)
	if err != nil {
		return err
	}
	if inside := float64(a.dtype.Size()); n > largeChunk {
		for k, c := range chunks {
			inside *= float64(max(1, min(c, a.shape[k])))
		}
		if float64(n)/largeRatio > inside {
			return fmt.Errorf("chunks of shape %v have %d MB, and the array of shape %v has a small part of one: store it in smaller chunks", chunks, n>>20, a.shape)
		}
	}
	return nil
}

// A chunk is stored as a whole, even where it extends beyond the array. Chunks larger than largeChunk bytes, and larger
// than largeRatio times the bytes of the array that they can hold, are rejected: otherwise a few bytes of a hostile
// file could demand any amount of memory.
const (
	largeChunk = 64 << 20
	largeRatio = 1 << 10
)

// parseKeys returns the function from a chunk's grid index to the name of its file.
func parseKeys(e named) (func([]int) string, error) {
	c := keysConfig{}
	if len(e.Config) > 0 {
		if err := json.Unmarshal(e.Config, &c); err != nil {
			return nil, fmt.Errorf("chunk_key_encoding: %w", err)
		}
	}
	separators := map[string]string{"default": "/", "v2": "."}
	usual, ok := separators[e.Name]
	if !ok || c.Separator != "" && c.Separator != "/" && c.Separator != "." {
		return nil, fmt.Errorf("chunk keys %q with the separator %q are not known", e.Name, c.Separator)
	}
	if c.Separator == "" {
		c.Separator = usual
	}
	return func(index []int) string {
		var parts []string
		if e.Name == "default" {
			parts = append(parts, "c")
		}
		for _, i := range index {
			parts = append(parts, strconv.Itoa(i))
		}
		if len(parts) == 0 {
			return "0"
		}
		return strings.Join(parts, c.Separator)
	}, nil
}
