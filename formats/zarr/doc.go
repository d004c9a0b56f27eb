// Package zarr reads and writes arrays in the format Zarr, version 3: a folder with a text
// zarr.json and a file for each chunk.
//
//	t, err := zarr.ReadArray("temperature.zarr")
//	err = zarr.WriteArray("out.zarr", t, zarr.Options{Chunks: []int{100, 200}, Codecs: []zarr.Codec{zarr.Gzip(5)}})
//
// A Reader and a Writer are a Source and a Sink of package stream, for arrays that are larger
// than memory.
//
// # What is read
//
// Arrays of bool, integers and floats that are stored in a regular grid of chunks, with the
// codecs bytes, gzip and crc32c, and those that Register adds: module x/zstd adds zstd. A
// chunk that does not exist is the fill value. Groups, codecs that are not known, sharding
// and transposed chunks are errors that name them, and so are extensions, but for those that
// the file says may be ignored. Files may be damaged or hostile: every
// mistake in them is an error that names the chunk, and no chunk makes the package allocate
// more than what the array's chunks have.
//
// # What is written
//
// Chunks of little-endian elements, rows first, each in a file that appears when it is complete
// and on disk.
package zarr
