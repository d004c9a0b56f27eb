// Package arrow runs programs of package graph on Apache Arrow data, without a copy: columns of record batches and tables
// are inputs, and results are written into Arrow buffers.
//
//	x := graph.Input("price", graph.Float64, graph.Dim("n"))
//	valid := graph.Input("valid_price", graph.Bool, graph.Dim("n"))     // false where price is null
//	p, err := graph.Compile(graph.Where(valid, x.Log(), 0).Sum())
//	feeds, err := arrow.Feeds(p, batch)                             // the columns that p has inputs for
//	out, err := p.RunNamed(ctx, feeds)
//
// It is a module of its own, because it uses github.com/apache/arrow-go, whose package arrow has the same name: import one
// of them under another name.
//
// # Memory
//
// The tensors of Tensor, Feeds and Source share the memory of Arrow's arrays: slices with an offset too. They don't
// retain it. Release an array only after the last run on its tensors, and don't write to the tensors. Arrow keeps
// validity and Boolean values as bits, which programs don't read, so they become a byte for each row; a column without
// nulls needs no memory for that.
//
// The values under nulls are arbitrary: choose with Where on the validity before anything that sums them.
package arrow
