package onnx

// Quantization: integers that stand for floats, by a scale and a zero point.

var quantization = []operator{}
