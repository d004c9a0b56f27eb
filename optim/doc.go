// Package optim fits the parameters of a graph: optimizers, schedules and losses, all as Nodes. A step computes the
// loss, its gradients and the new parameters in one program, in place.
//
//	var params optim.Parameters
//	w := params.Add("w", graph.Zeros(graph.Float32, 784, 10))
//	x, labels := graph.Input("x", graph.Float32, graph.Dim("n"), 784), graph.Input("labels", graph.Int64, graph.Dim("n"))
//	loss := optim.CrossEntropy(x.MatMul(w), labels).Mean()
//	fit, err := optim.New(optim.AdamW{Rate: optim.Constant(1e-3), Decay: 0.01}, loss, &params, x, labels)
//	for images, classes := range batches {
//		loss, err := fit.Step(ctx, images, classes)
//	}
//
// Parameters and the optimizer's state are tensors, which package safetensors stores:
//
//	err = safetensors.WriteFile("fit.safetensors", fit.State(), nil)
//
// The same steps give the same bits on every machine and any number of threads.
package optim
