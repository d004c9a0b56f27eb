package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// A file consists of the length of the header in 8 bytes, the header (a JSON object), and the data of all tensors
// without gaps.

// longestHeader is the format's limit.
const longestHeader = 100_000_000

// metadataKey is the key of the metadata; all other keys are tensors.
const metadataKey = "__metadata__"

// entry describes a tensor.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"` // the first byte, and the one after the last
}

// dtypes maps the format's names to element types.
var dtypes = map[string]graph.DType{
	"BOOL": graph.Bool,
	"I8":   graph.Int8, "I16": graph.Int16, "I32": graph.Int32, "I64": graph.Int64,
	"U8": graph.Uint8, "U16": graph.Uint16, "U32": graph.Uint32, "U64": graph.Uint64,
	"F16": graph.Float16, "BF16": graph.BFloat16, "F32": graph.Float32, "F64": graph.Float64,
	"F8_E4M3": graph.Float8E4M3FN, "F8_E5M2": graph.Float8E5M2, "F8_E8M0": graph.Float8E8M0,
}

// parse reads the header of a file, and checks that the tensors cover the data.
func parse(file []byte) (entries map[string]entry, metadata map[string]string, data []byte, err error) {
	if len(file) < 8 {
		return nil, nil, nil, errors.New("the file ends within its header")
	}
	n := binary.LittleEndian.Uint64(file)
	switch {
	case n > longestHeader:
		return nil, nil, nil, fmt.Errorf("a header of %d bytes: there can be %d", n, longestHeader)
	case n > uint64(len(file)-8):
		return nil, nil, nil, errors.New("the file ends within its header")
	}
	data = file[8+n:]
	entries, metadata, err = parseHeader(file[8 : 8+n])
	if err == nil {
		err = checkOffsets(entries, len(data))
	}
	return entries, metadata, data, err
}

// parseHeader reads the JSON object key by key, to find names that occur twice.
func parseHeader(text []byte) (entries map[string]entry, metadata map[string]string, err error) {
	entries = map[string]entry{}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, nil, fmt.Errorf("the header is no JSON object (%v)", err)
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, nil, fmt.Errorf("header: %w", err)
		}
		name, _ := token.(string) // a key is a string, or Token fails
		switch _, twice := entries[name]; {
		case twice || name == metadataKey && metadata != nil:
			return nil, nil, fmt.Errorf("%q is there twice", name)
		case name == metadataKey:
			metadata = map[string]string{}
			err = d.Decode(&metadata)
		default:
			var e entry
			err = d.Decode(&e)
			entries[name] = e
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %w", name, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, errors.New("there is text after the header's object")
	}
	return entries, metadata, nil
}

// checkOffsets returns an error unless the tensors cover n bytes without overlap or gap.
func checkOffsets(entries map[string]entry, n int) error {
	names := make([]string, 0, len(entries))
	for name, e := range entries {
		if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > n {
			return fmt.Errorf("%q: offsets %v, there are %d bytes of data", name, e.Offsets, n)
		}
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return slices.Compare(entries[a].Offsets, entries[b].Offsets) })
	end := 0
	for _, name := range names {
		if start := entries[name].Offsets[0]; start != end {
			return fmt.Errorf("%q: its data begin at byte %d, those before end at %d", name, start, end)
		}
		end = entries[name].Offsets[1]
	}
	if end != n {
		return fmt.Errorf("the tensors end at byte %d, the data at %d", end, n)
	}
	return nil
}
