// Package stream runs a program over arrays that are larger than memory, block of rows
// after block of rows.
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
// The program is the one that runs on tensors in memory, and the results have the same
// bits, for any size of block and any number of workers. Its inputs have a first axis with
// a symbolic extent: the rows. Elementwise operations and operations within rows are
// computed block by block; so are reductions along the rows, scans along them, products
// of matrices, the first elements in order (TopK), and counts (BinCount). A program that
// needs the result of a reduction for each row, as the one above, reads the rows again:
// package blocks has the rules. What can't be computed by blocks, such as a complete sort
// of the rows, is an error that names the operation and its line.
//
// # Where arrays are
//
// A Source gives blocks of rows: a .npy file, which is mapped a block at a time; a folder of
// .npy files; an iterator of tensors; a tensor; a Zarr array (package zarr). A Sink takes
// blocks of rows, to the same kinds. Results without rows, such as a mean, are tensors that
// Run returns.
//
// # Memory
//
// Job.Memory bounds what a run needs at a time: two blocks of each input, two of each
// output, a chunk of each array of Zarr as it is and encoded, what the program stores in
// between, and the parts of reductions. The size of blocks follows from it. A job that can't
// stay within the bound is an error that says what it needs, before any element is read. The
// reading of a block overlaps with the computation of the block before, and so does the
// writing of the one before that.
//
// # Runs that end early
//
// With Job.State, a folder, a run that was killed continues with the block that is not
// complete. The folder has a journal of complete blocks with checksums of what they wrote,
// and the parts and carries of reductions and scans. Everything is compared with its
// checksum first; a block that differs is computed again. So the journal may be ahead of
// the disk when a machine fails.
//
// An output is complete, and has its name, once every row of it was written. A file that lacks
// rows keeps the suffix .part, and Run returns an error that names them.
//
// # Several machines
//
// Job.Shard computes the blocks of one of n ranges, on a folder that all machines share,
// and Job.Merge completes the job: for job arrays of Slurm or Kubernetes. Module x/beam runs
// jobs on Apache Beam.
//
// A process locks its range, and Run and Merge lock all of State: another process that tries
// gets ErrInUse. The system ends the lock with the process. Locks are those of flock: on NFS
// they hold between machines if the server has locks, and a lock ends some time after its
// machine has gone. Where the file system has no locks, and on Windows, nothing keeps two
// processes from the same blocks; then checksums find a block that differs, and it is computed
// again.
//
// On NFS the blocks of one file may share a page at their borders, which one machine can write
// back over what another has written there. There, let several machines write a folder
// (NewFolder) or Zarr, each of whose files is written by one machine, and appears when it is
// complete.
package stream
