package onnx

import (
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Types of inputs other than element types.
const (
	anySequence ir.DTypes = 1 << (30 + iota) // any sequence of tensors
	anyOptional                              // an absent optional value
)

var anything = ir.AllTypes | anySequence | anyOptional

// typeCodes maps ONNX's numbers to element types.
var typeCodes = map[int]graph.DType{
	1: graph.Float32, 2: graph.Uint8, 3: graph.Int8, 4: graph.Uint16, 5: graph.Int16, 6: graph.Int32,
	7: graph.Int64, 9: graph.Bool, 10: graph.Float16, 11: graph.Float64, 12: graph.Uint32, 13: graph.Uint64,
	16: graph.BFloat16, 17: graph.Float8E4M3FN, 18: graph.Float8E4M3FNUZ, 19: graph.Float8E5M2, 20: graph.Float8E5M2FNUZ,
	21: graph.Uint4, 22: graph.Int4, 23: graph.Float4E2M1, 24: graph.Float8E8M0, 25: graph.Uint2, 26: graph.Int2,
}

// typeNamed returns the element type for ONNX's number in an attribute.
func (c *call) typeNamed(name string) graph.DType {
	code := c.int(name)
	dt, ok := typeCodes[code]
	if !ok {
		c.fail("attribute %q: element type %s is not supported", name, codeText(code))
	}
	return dt
}

// stringCode is ONNX's number of strings.
const stringCode = 8

// typeNames has the names of ONNX element types that this library lacks, by number, for messages.
var typeNames = map[int]string{8: "string", 14: "complex64", 15: "complex128"}

// nameOf returns ONNX's name of an element type.
func nameOf(dt graph.DType) string {
	switch dt {
	case graph.Float32:
		return "FLOAT"
	case graph.Float64:
		return "DOUBLE"
	}
	return strings.ToUpper(dt.String())
}

// codeText names an element type.
func codeText(code int) string {
	if dt, ok := typeCodes[code]; ok {
		return dt.String()
	}
	if name, ok := typeNames[code]; ok {
		return name
	}
	return fmt.Sprintf("number %d", code)
}
