package zarr

// Format 2: a text .zarray, and files of chunks whose names are their indices.

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// metadata2 is the content of .zarray.
type metadata2 struct {
	Format     int               `json:"zarr_format"`
	Shape      []int             `json:"shape"`
	Chunks     []int             `json:"chunks"`
	DataType   json.RawMessage   `json:"dtype"`
	Compressor json.RawMessage   `json:"compressor"`
	Fill       json.RawMessage   `json:"fill_value"`
	Order      string            `json:"order"`
	Filters    []json.RawMessage `json:"filters"`
	Separator  string            `json:"dimension_separator"`
}

// parse2 reads and checks the text of an array of format 2.
func parse2(text []byte) (*array, error) {
	var m metadata2
	if err := json.Unmarshal(quoteNumbers(text), &m); err != nil {
		return nil, err
	}
	switch {
	case m.Format != 2:
		return nil, fmt.Errorf("format version %d in %s, which has version 2", m.Format, zarray)
	case m.Shape == nil:
		return nil, errors.New("it has no shape")
	case len(m.Filters) > 0:
		return nil, fmt.Errorf("the filter %s is not known: arrays without filters are read", m.Filters[0])
	}
	a := &array{shape: m.Shape}
	if err := a.parseType2(m.DataType); err != nil {
		return nil, err
	}
	if _, err := binfile.NumBytes(a.dtype, a.shape); err != nil {
		return nil, err
	}
	if err := a.setChunks(m.Chunks); err != nil {
		return nil, err
	}
	switch m.Order {
	case "C":
	case "F":
		for k := range a.shape {
			a.order = append(a.order, len(a.shape)-1-k)
		}
	default:
		return nil, fmt.Errorf("the order %q is neither C nor F", m.Order)
	}
	if err := a.parseFill2(m.Fill); err != nil {
		return nil, err
	}
	if err := a.parseCompressor(m.Compressor); err != nil {
		return nil, err
	}
	config, err := json.Marshal(keysConfig{m.Separator})
	if err != nil {
		return nil, err
	}
	a.key, err = parseKeys(named{"v2", config})
	return a, err
}

// parseType2 reads NumPy's name of the element type, such as "<f4".
func (a *array) parseType2(text json.RawMessage) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil || name == "" {
		return fmt.Errorf("elements of type %s are not read: bool, integers and floats are", text)
	}
	for _, dt := range dtypes {
		if dt.String()[:1]+strconv.Itoa(dt.Size()) == name[1:] && (strings.Contains("<>", name[:1]) || name[0] == '|' && dt.Size() == 1) {
			a.dtype, a.swap = dt, dt.Size() > 1 && (name[0] == '>') != binfile.BigEndian
			return nil
		}
	}
	return fmt.Errorf("elements of type %q are not read: bool, integers and floats are", name)
}

// parseFill2 reads the element of missing chunks. Format 2 has null for any element, which is 0 here.
func (a *array) parseFill2(text json.RawMessage) (err error) {
	if len(text) == 0 || string(text) == "null" {
		a.fill = make([]byte, a.dtype.Size())
		return nil
	}
	if a.dtype == graph.Bool && (string(text) == "0" || string(text) == "1") {
		a.fill = []byte{text[0] - '0'}
		return nil
	}
	a.fill, err = parseFill(a.dtype, text)
	return err
}

// parseCompressor reads the codec, whose settings are beside its name.
func (a *array) parseCompressor(text json.RawMessage) error {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	var c struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return fmt.Errorf("compressor: %w", err)
	}
	codec, err := codecFor(named{c.ID, text})
	if err != nil {
		return err
	}
	a.codecs = []Codec{codec}
	return nil
}
