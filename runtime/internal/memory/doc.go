// Package memory allocates the buffers of tensors and programs, and reads and writes
// single elements by their bits.
//
// Buffers begin at a multiple of 64 bytes and are zeroed. Large ones are aligned for huge
// pages, and a request that the machine's free memory cannot hold is an error rather than
// the end of the process.
package memory
