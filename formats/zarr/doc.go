// Package zarr reads and writes arrays in the format Zarr, version 3: a folder with a text zarr.json and a file for
// each chunk.
//
//	t, err := zarr.ReadArray("temperature.zarr")
//	err = zarr.WriteArray("out.zarr", t, zarr.Options{Chunks: []int{100, 200}, Codecs: []zarr.Codec{zarr.Gzip(5)}})
//
// Reader and Writer are a Source and a Sink of package stream, for arrays larger than memory.
//
// # What is read
//
// Arrays of bool, integers and floats in a regular grid of chunks, with the codecs bytes, gzip and crc32c and those
// that Register adds (module x/zstd adds zstd). A missing chunk has the fill value. Groups, unknown codecs, sharding,
// transposed chunks and extensions are errors that name them, except extensions that the file marks as ignorable. Files
// may be damaged or hostile: every mistake is an error that names the chunk, and decoding a chunk allocates no more
// than the chunk's size.
//
// # What is written
//
// Chunks of little-endian elements in C order, each in a file that appears only when it is complete and on disk.
package zarr
