// Package safetensors reads and writes .safetensors files: named tensors, as most model
// weights are published.
//
//	f, err := safetensors.Open("model.safetensors")
//	defer f.Close()
//	w, err := f.Tensor("encoder.layers.0.weight") // the file itself, without a copy
//	err = safetensors.WriteFile("out.safetensors", map[string]*graph.Tensor{"w": w}, nil)
//
// A file is mapped into memory: pages are read when an operation first needs them. A write
// to a tensor changes neither the file nor what others see of it. The tensors and all
// views of them end with Close. Nobody may truncate the file before.
//
// Open refuses what the format forbids of a file: a name given twice, data that overlap, leave a
// gap or pass the end of the file. What is wrong with one tensor alone, as a size that does not fit its
// shape or an unknown element type, is an error of Tensor, so that the others can be read. Floats of 8 bits are
// read and written, and Cast converts them.
package safetensors
