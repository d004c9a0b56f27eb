// Package beam runs jobs of package stream on Apache Beam: on its in-process runner Prism, on
// Flink, Spark or Dataflow. Results have the bits of one machine.
//
//	spec, err := beam.NewSpec(program,
//		map[string]beam.Ref{"x": {Kind: beam.Zarr, Path: "x.zarr"}},
//		map[string]beam.Ref{"z": {Kind: beam.File, Path: "z.npy"}})
//	err = beam.Run(ctx, "prism", spec)
//
// Run takes the name of the runner, whose package the program imports; main calls Init of Beam
// first. Apply adds the job to a pipeline of yours.
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
// whether it runs a block twice: blocks are written to places of their own, and are on the disk
// before the runner is told. Outputs get their names when all blocks are there; what a block that
// is run once more after that leaves is never taken for the array. Within a worker
// process one block is computed at a time, by all processors: this bounds its memory by
// Spec.Memory whatever a runner does at once.
//
// A scan, a product of floats along the rows, and other programs each of whose blocks needs the
// block before, are errors. A sum along the rows is not, nor a product of integers.
package beam
