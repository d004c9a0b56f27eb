package zarr

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// The fill value is the element of missing chunks. In zarr.json it is a number, a bool, or a text.

// parseFill returns the bytes of an element from its JSON text.
func parseFill(dt graph.DType, text json.RawMessage) ([]byte, error) {
	bad := fmt.Errorf("fill_value %s is no element of %s", text, dt)
	if bits := fillBits(dt, text); bits != nil {
		return bits, nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, bad
	}
	value := v
	switch v := v.(type) {
	case bool:
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			value = i
		} else if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			value = u
		} else if f, err := v.Float64(); err == nil {
			value = f
		} else {
			return nil, bad
		}
	case string:
		special := map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}
		f, ok := special[v]
		if !ok {
			return nil, bad
		}
		value = f
	default:
		return nil, bad
	}
	t := graph.Full(dt, value)
	if t.Err() != nil {
		return nil, bad
	}
	return binfile.Memory(t), nil
}

// fillBits returns the bytes of a float that is written as its bits, such as "0x7fc00000", or nil for other texts.
func fillBits(dt graph.DType, text json.RawMessage) []byte {
	digits, ok := strings.CutPrefix(strings.Trim(string(text), `"`), "0x")
	bits, err := hex.DecodeString(digits)
	if !ok || err != nil || len(bits) != dt.Size() || !slices.Contains([]graph.DType{graph.Float16, graph.Float32, graph.Float64}, dt) {
		return nil
	}
	if !binfile.BigEndian {
		binfile.Swap(bits, dt.Size())
	}
	return bits
}
