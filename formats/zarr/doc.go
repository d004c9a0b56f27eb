// Package zarr reads and writes arrays in the format Zarr: a folder with a text zarr.json and a file for each chunk, or
// for each shard of chunks. It reads versions 2 and 3, and writes version 3.
//
//	t, err := zarr.ReadArray("temperature.zarr")
//	err = zarr.WriteArray("out.zarr", t, zarr.Options{Chunks: []int{100, 200}, Codecs: []zarr.Codec{zarr.Gzip(5)}})
//
// Reader and Writer are a Source and a Sink of package stream, for arrays larger than memory.
//
// # What is read
//
// Arrays of bool, integers and floats in a regular grid of chunks, in either order of axes, with the codecs bytes,
// transpose, sharding_indexed, gzip and crc32c, in version 2 also zlib, and those that Register adds: module x/zstd adds
// zstd, module x/blosc adds blosc. A missing chunk has the fill value. Attributes are ignored, even those that are no
// JSON, as NaN. Groups, filters, shards in shards, unknown codecs and extensions are errors that name them, except
// extensions that the file marks as ignorable. Files may be damaged or hostile: every mistake is an error that names the
// chunk, and decoding a chunk allocates no more than a small multiple of the chunk's size.
//
// A shard is read as a whole: blocks of a stream are as many rows as a shard has.
//
// # What is written
//
// Chunks of little-endian elements in C order, each in a file that appears only when it is complete and on disk.
package zarr
