// Package stream runs a program over arrays larger than memory, one block of rows after the other.
//
//	x := graph.Input("x", graph.Float32, graph.Dim("n"), 64) // n rows
//	p, err := graph.Compile(x.Sub(x.Mean(0)).Div(x.Std(0)))
//	job := stream.Job{
//		Program: p,
//		Inputs:  map[string]stream.Source{"x": stream.File("x.npy")},
//		Outputs: map[string]stream.Sink{"out0": stream.NewFile("z.npy")},
//		Memory:  512 << 20,
//		State:   "z.state",
//	}
//	_, err = job.Run(ctx)
//
// # What runs
//
// A job runs the same program that runs on tensors in memory, and the results have the same bits, for any block size
// and any number of workers. Its inputs have the rows as their first axis, with a symbolic extent. Computed block by
// block are elementwise operations, operations within rows, reductions and scans along the rows, matrix products, the
// first elements in order (TopK), and counts (BinCount). If the result of a reduction is needed for each row, as in the
// program above, the rows are read again: package blocks has the rules. Operations that can't be computed by blocks,
// such as a complete sort of the rows, are errors that name the operation and its line.
//
// # Where arrays are
//
// A Source provides blocks of rows: from a .npy file, which is mapped block by block, a folder of .npy files, an
// iterator of tensors, a tensor, or a Zarr array (package zarr). A Sink stores blocks of rows in the same kinds of
// places. Results without rows, such as a mean, are tensors that Run returns.
//
// # Memory
//
// Job.Memory bounds the memory of a run: two blocks of each input and output, a decoded and an encoded chunk of each
// Zarr array, the temporaries of the program, and the parts of reductions. The block size follows from it. A job that
// can't stay within the bound fails before it reads any element, with an error that says how much it needs. Reading the
// next block and writing the previous one overlap with the computation.
//
// # Runs that end early
//
// If Job.State names a folder, a run that was killed continues with the first incomplete block. The folder has a
// journal of complete blocks with checksums of what they wrote, and the parts and carries of reductions and scans. All
// data is verified by checksum first, and a block that differs is computed again. So it does no harm if a machine fails
// after the journal, but not the data, reached the disk.
//
// An output gets its name when all its rows are written. A file that lacks rows keeps the suffix .part, and Run returns
// an error that names the rows.
//
// # Several machines
//
// Job.Shard computes one of n ranges of blocks, in a folder that all machines share, and Job.Merge completes the job.
// This suits job arrays of Slurm or Kubernetes. Module x/beam runs jobs on Apache Beam.
//
// A process locks its range, and Run and Merge lock all of State; a second process gets ErrInUse. The system releases
// the lock when the process ends. The locks are those of flock: on NFS they hold between machines if the server
// supports locks, and a lock ends some time after its machine has gone. On Windows and on file systems without locks
// nothing prevents two processes from computing the same blocks; then checksums find damaged blocks, which are computed
// again.
//
// On NFS two blocks of one file may share a page at their border, and one machine may overwrite what another has
// written there. If several machines write, let them write a folder (NewFolder) or Zarr: each file is written by one
// machine, and appears only when it is complete.
package stream
