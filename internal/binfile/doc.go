// Package binfile has what the file formats share: the bytes of a file, memory-mapped or read, and tensors over such
// bytes without a copy.
//
// Files may be damaged or hostile. No function allocates more than a small multiple of what a file holds, whatever
// sizes its header claims.
package binfile
