// Package beam runs jobs of package stream on Apache Beam: on its in-process runner Prism, on Flink, Spark or Dataflow.
// Results have the same bits as on one machine.
//
//	spec, err := beam.NewSpec(program,
//		map[string]beam.Ref{"x": {Kind: beam.Zarr, Path: "x.zarr"}},
//		map[string]beam.Ref{"z": {Kind: beam.File, Path: "z.npy"}})
//	err = beam.Run(ctx, "prism", spec)
//
// Run takes the name of the runner, whose package the program imports; main calls Init of Beam first. Apply adds the
// job to an existing pipeline.
//
// # What is sent
//
// The program is sent as the text of its graph, which each worker parses, verifies and compiles. Arrays are sent as
// names: workers read and write blocks of rows themselves, so all of them must see the same files. Between workers go
// the numbers of blocks, the parts of reductions (8 bytes for 1024 elements of a float32 sum), and totals.
//
// # The pipeline
//
// Each pass over the rows (package stream/blocks) has a DoFn that computes a block, a CombineFn that sorts parts by
// block, and a DoFn that reduces them by the tree of package ir. The runner may combine in any order and run a block
// twice: each block is written to its own place, and is on disk before the runner is told. Outputs get their names when
// all blocks are there; what a repeated block leaves after that is never taken for the array. A worker process computes
// one block at a time, on all processors, so that Spec.Memory bounds its memory whatever the runner does concurrently.
//
// Programs in which a block needs the block before, such as a scan or a product of floats along the rows, are errors. A
// sum along the rows and a product of integers are not.
package beam
