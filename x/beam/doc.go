// Package beam runs jobs of package stream on Apache Beam: on its in-process runner Prism, on
// Flink, Spark or Dataflow. Results have the bits of one machine.
//
//	spec, err := beam.NewSpec(program, map[string]beam.Ref{"x": {beam.Zarr, "x.zarr"}}, map[string]beam.Ref{"z": {beam.File, "z.npy"}})
//	err = beam.Run(ctx, spec) // beam.Init and the flags of Beam choose the runner
//
// Apply adds the job to a pipeline of yours.
//
// # What travels
//
// The program travels as the text of its graph, which each worker parses, verifies and
// compiles. Of arrays only names travel: workers read and write blocks of rows themselves, so
// all of them must see the same files. Between workers go the numbers of blocks, the parts of
// reductions (of a float32 sum 8 bytes for 1024 elements), and totals.
//
// # The pipeline
//
// For each pass over the rows (package stream/blocks) there are a DoFn of a block, a
// CombineFn that puts parts in the order of their blocks, and a DoFn that reduces them by the
// tree of package ir. The order in which a runner combines does not matter, and neither does
// whether it runs a block twice: blocks are written to places of their own. Within a worker
// process one block is computed at a time, by all processors: this bounds its memory by
// Spec.Memory whatever a runner does at once.
//
// A scan, and other programs each of whose blocks needs the block before, are errors.
package beam
