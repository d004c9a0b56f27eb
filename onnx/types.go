package onnx

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

// typeCodes are the element types by ONNX's numbers.
var typeCodes = map[int]graph.DType{
	1: graph.Float32, 2: graph.Uint8, 3: graph.Int8, 4: graph.Uint16, 5: graph.Int16, 6: graph.Int32,
	7: graph.Int64, 9: graph.Bool, 10: graph.Float16, 11: graph.Float64, 12: graph.Uint32, 13: graph.Uint64,
	16: graph.BFloat16,
}

// typeNamed returns the element type that an attribute has the number of.
func (c *call) typeNamed(name string) graph.DType {
	code := c.int(name)
	dt, ok := typeCodes[code]
	if !ok {
		c.fail("attribute %q: element type %s is not supported", name, codeText(code))
	}
	return dt
}

// typeNames are the element types that there are not here, by ONNX's numbers, for messages.
var typeNames = map[int]string{
	8: "string", 14: "complex64", 15: "complex128", 17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2",
	20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
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
