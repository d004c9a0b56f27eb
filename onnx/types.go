package onnx

import "fmt"

// typeNames are the element types by ONNX's numbers, in messages.
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
