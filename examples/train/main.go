// Train trains a convolutional network to read handwritten digits, by the gradients of its loss. It prints the loss and
// how many digits that it was not trained on it reads right after each epoch, and then which digits it takes for which.
//
//	go run ./examples/train
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/stridefuse/stridefuse/examples/internal/digits"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/optim"
)

const (
	all    = 1797 // digits
	held   = 360  // of these, not trained on
	batch  = 64   // digits of a step
	epochs = 20
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// network returns the scores of the classes, [n,10], of images [n,8,8], and adds the parameters.
func network(x graph.Node, params *optim.Parameters) graph.Node {
	weights := func(name string, seed uint64, inputs int, shape ...int) graph.Node { // He et al., 2015
		return params.Add(name, graph.Normal(graph.Float32, seed, 0, math.Sqrt(2/float64(inputs)), shape...))
	}
	bias := func(name string, shape ...int) graph.Node {
		return params.Add(name, graph.Zeros(graph.Float32, shape...))
	}
	same := graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}
	half := graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}}

	x = x.Unsqueeze(1)
	x = x.Conv(weights("w1", 1, 9, 16, 1, 3, 3), same).Add(bias("b1", 16, 1, 1)).ReLU().MaxPool(half)
	x = x.Conv(weights("w2", 2, 16*9, 32, 16, 3, 3), same).Add(bias("b2", 32, 1, 1)).ReLU().MaxPool(half)
	return x.Reshape(graph.Dim("n"), 32*2*2).MatMul(weights("w3", 3, 32*2*2, 32*2*2, 10)).Add(bias("b3", 10))
}

func run(ctx context.Context, w io.Writer) error {
	images, classes, err := digits.All()
	if err != nil {
		return err
	}
	rows := graph.Input("rows", graph.Int64, graph.Dim("n")) // which digits
	var params optim.Parameters
	scores := network(images.Take(0, rows).Cast(graph.Float32).Div(16), &params)
	loss := optim.CrossEntropy(scores, classes.Take(0, rows)).Mean()

	read := scores.ArgMax(-1)
	table := classes.Take(0, rows).Cast(graph.Int64).Mul(10).Add(read).BinCount(100).Reshape(10, 10) // by class and what is read
	test, err := graph.Compile(table, table.Diagonal(0, 0, 1).Sum(), graph.WithInputs(append(params.Nodes(), rows)...))
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	order := permuted(random, all)
	training, testing := order[held:], graph.Of(order[:held])
	rate := optim.Cosine(0.005, 20, epochs*float64(len(training)/batch))
	fit, err := optim.New(optim.AdamW{Rate: rate, Decay: 0.01}, loss, &params, rows)
	if err != nil {
		return err
	}
	var results []*graph.Tensor
	for epoch := range epochs {
		last := 0.0
		random.Shuffle(len(training), func(i, j int) { training[i], training[j] = training[j], training[i] })
		for i := 0; i+batch <= len(training); i += batch {
			if last, err = fit.Step(ctx, graph.Of(training[i:i+batch])); err != nil {
				return err
			}
		}
		if results, err = test.RunAll(ctx, append(params.Tensors(), testing)...); err != nil {
			return err
		}
		right, err := graph.At[int64](results[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "epoch %2d: loss of the last batch %.4f, %d of %d held-out digits are read right\n", epoch+1, last, right, held)
	}
	fmt.Fprintln(w, "rows are digits 0 to 9, columns what they are read as:", results[0])
	return nil
}

// permuted returns the numbers 0 to n-1 in random order.
func permuted(r *rand.Rand, n int) []int64 {
	order := make([]int64, n)
	for i, j := range r.Perm(n) {
		order[i] = int64(j)
	}
	return order
}
