// Package safetensors reads and writes .safetensors files: named tensors, the format of most published model weights.
//
//	f, err := safetensors.Open("model.safetensors")
//	defer f.Close()
//	w, err := f.Tensor("encoder.layers.0.weight") // the mapped file, without a copy
//	err = safetensors.WriteFile("out.safetensors", map[string]*graph.Tensor{"w": w}, nil)
//
// A file is mapped into memory: pages are read when an operation first needs them. A write to a tensor changes neither
// the file nor what other processes see. Close invalidates the tensors and all views of them. Nobody may truncate the
// file before Close.
//
// Open rejects files that violate the format: a name given twice, data that overlap, leave a gap or extend beyond the
// file. A mistake in one tensor, such as a size that does not fit its shape or an unknown element type, is an error of
// Tensor only, so the others can be read. Floats of 8 bits are read and written, and Cast converts them.
package safetensors
