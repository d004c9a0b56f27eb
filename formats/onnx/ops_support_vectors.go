package onnx

import (
	"context"
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Support vector machines, as LIBSVM computes them, in float64.

var kernelAttrs = attrs{"coefficients": floatList, "kernel_params": floatList, "kernel_type": "LINEAR", "post_transform": "NONE", "rho": floatList, "support_vectors": floatList}

// kernels returns the kernel function of each row of input 0 with each vector: float64[n, count].
func (c *call) kernels(vectors []float64, count int) graph.Node {
	x := c.rows(graph.Float64)
	if c.err != nil {
		return x
	}
	if count < 1 || len(vectors) == 0 || len(vectors)%count != 0 {
		c.fail("%d numbers for %d vectors", len(vectors), count)
		return x
	}
	v := graph.Const(graph.Of(vectors, count, len(vectors)/count))
	params := list[float64](c, "kernel_params")
	kind := c.text("kernel_type")
	if kind != "LINEAR" && len(params) < 3 {
		c.fail("kernel_params has %d numbers: it must have gamma, coef0 and degree", len(params))
		return x
	}
	dot := x.MatMul(v.T())
	switch kind {
	case "LINEAR":
		return dot
	case "POLY":
		return dot.Mul(params[0]).Add(params[1]).Pow(params[2])
	case "SIGMOID":
		return dot.Mul(params[0]).Add(params[1]).Tanh()
	case "RBF":
		apart := x.Square().Sum(1, graph.KeepDims).Sub(dot.Mul(2)).Add(v.Square().Sum(1)).Maximum(0)
		return apart.Mul(-params[0]).Exp()
	}
	c.fail("kernel_type %q", kind)
	return x
}

func svmRegressor(c *call) []value {
	coefficients, rho, count := list[float64](c, "coefficients"), list[float64](c, "rho"), c.int("n_supports")
	if len(rho) != 1 || count > 0 && len(coefficients) != count {
		return c.fail("%d coefficients of %d vectors, %d rho", len(coefficients), count, len(rho))
	}
	var y graph.Node
	if count > 0 {
		y = c.kernels(list[float64](c, "support_vectors"), count)
		if c.err == nil {
			y = y.MatMul(graph.Const(graph.Of(coefficients, count, 1)))
		}
	} else {
		y = c.kernels(coefficients, 1)
	}
	if c.err != nil {
		return nil
	}
	y = y.Add(rho[0]).Cast(graph.Float32)
	if c.flag("one_class") {
		y = graph.Where(y.Gt(0), graph.Scalar(graph.Float32, 1), -1)
	}
	return one(c.afterTransform(y, c.text("post_transform")))
}

// svmClassifier compares each pair of classes. A row is of the class with the most votes, the first of several, unless there are
// coefficients of classes and not of vectors. Its scores are probabilities if there are sigmoids, else those of the pairs.
func svmClassifier(c *call) []value {
	labels, classes := c.labels("classlabels_ints")
	coefficients, rho, perClass := list[float64](c, "coefficients"), list[float64](c, "rho"), list[int](c, "vectors_per_class")
	a, b := list[float64](c, "prob_a"), list[float64](c, "prob_b")
	transform := c.text("post_transform")
	count, pairs := 0, classes*(classes-1)/2
	for _, n := range perClass {
		if n < 0 || n > math.MaxInt32-count {
			return c.fail("%d vectors of a class", n)
		}
		count += n
	}
	switch {
	case c.err != nil:
		return nil
	case count == 0 && (len(rho) < 1 || classes < 1):
		return c.fail("no rho")
	case count == 0:
		y := c.kernels(coefficients, classes)
		if c.err != nil {
			return nil
		}
		y = y.Add(rho[0]).Cast(graph.Float32)
		return []value{labels.at(y.ArgMax(1)), compute(c.afterTransform(y, transform))}
	case classes < 2 || classes > mostSVMClasses:
		return c.fail("%d classes: there must be 2 to %d", classes, mostSVMClasses)
	case len(perClass) != classes || len(coefficients) != count*(classes-1) || len(rho) < pairs || len(a) != len(b) || len(a) > 0 && len(a) < pairs:
		return c.fail("%d classes with vectors of %d, %d coefficients, %d rho, %d and %d sigmoids", classes, len(perClass), len(coefficients), len(rho), len(a), len(b))
	}
	c.spend(pairs)
	k := c.kernels(list[float64](c, "support_vectors"), count)
	if c.err != nil {
		return nil
	}
	weights, one, other := pairWeights(coefficients, perClass, count)
	y := k.MatMul(graph.Const(graph.Of(weights, count, pairs))).Add(graph.Of(rho[:pairs]))
	winner := graph.Where(y.Gt(0), graph.Const(graph.Of(one)), graph.Const(graph.Of(other))) // [n, pairs]
	best := winner.Unsqueeze(2).Eq(graph.Iota(graph.Int64, classes)).Cast(graph.Int32).Sum(1).ArgMax(1)
	scores := y.Cast(graph.Float32)
	switch {
	case len(a) > 0:
		sigmoid := y.Mul(graph.Of(a[:pairs])).Add(graph.Of(b[:pairs])).Neg().Sigmoid().Clip(1e-7, 1-1e-7)
		return append([]value{labels.at(best)}, c.probabilities(sigmoid, classes, transform)...)
	case classes > 2:
		return []value{labels.at(best), compute(c.afterTransform(scores, transform))}
	}
	return c.twoVectors(scores, labels, best, transform)
}

// pairWeights returns the coefficients of count vectors in the comparison of each pair of classes, [count, pairs], and the classes of the
// pairs.
func pairWeights(coefficients []float64, perClass []int, count int) (weights []float64, one, other []int64) {
	classes := len(perClass)
	pairs := classes * (classes - 1) / 2
	first := make([]int, classes+1) // vectors of the classes
	for i, n := range perClass {
		first[i+1] = first[i] + n
	}
	weights = make([]float64, count*pairs)
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			pair := len(one)
			for v := first[i]; v < first[i+1]; v++ {
				weights[v*pairs+pair] = coefficients[(j-1)*count+v]
			}
			for v := first[j]; v < first[j+1]; v++ {
				weights[v*pairs+pair] = coefficients[i*count+v]
			}
			one, other = append(one, int64(i)), append(other, int64(j))
		}
	}
	return weights, one, other
}

// probabilities returns the probabilities of classes from those of one of each pair.
func (c *call) probabilities(sigmoid graph.Node, classes int, transform string) []value {
	if !c.good(sigmoid) {
		return nil
	}
	eval := func(ctx context.Context, in []*graph.Tensor) ([]*graph.Tensor, error) {
		return coupled(ctx, in[0], classes)
	}
	outs := c.edgeOn([]graph.Node{sigmoid}, eval, result{graph.Float32, graph.Shape{sigmoid.Shape()[0], ir.Fixed(classes)}})
	if c.err == nil {
		outs[0].node = c.afterTransform(outs[0].node, transform)
	}
	return outs
}

// mostSVMClasses limits the classes, each pair of which is compared.
const mostSVMClasses = 256

// twoVectors returns the labels and scores of two classes without sigmoids.
func (c *call) twoVectors(score graph.Node, labels labels, best graph.Node, transform string) []value {
	if transform == "LOGISTIC" {
		score = score.Sigmoid()
	}
	if transform == "NONE" {
		return []value{labels.at(best), compute(graph.Concat(1, score.Neg(), score))}
	}
	return []value{labels.at(best), compute(graph.Concat(1, score.Neg().Add(1), score))}
}

// coupled returns the probabilities of classes [n, classes] of float32 from those of one of each pair [n, pairs], by the second method of
// Wu, Lin and Weng, "Probability estimates for multi-class classification by pairwise coupling" (2004). Its bound for the error and
// its number of iterations are LIBSVM's, because they decide the digits.
func coupled(ctx context.Context, pairs *graph.Tensor, classes int) ([]*graph.Tensor, error) {
	r, err := graph.Data[float64](pairs.Contiguous())
	if err != nil {
		return nil, err
	}
	n, width := pairs.Extent(0), pairs.Extent(1)
	out := make([]float32, n*classes)
	q := make([]float64, classes*classes)
	p, qp := make([]float64, classes), make([]float64, classes)
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		couple(r[i*width:(i+1)*width], q, p, qp)
		for k, x := range p {
			out[i*classes+k] = float32(x)
		}
	}
	return []*graph.Tensor{graph.Of(out, n, classes)}, nil
}

// couple computes the probabilities p of one row. q and qp are scratch memory: the matrix of the method, and its product with p.
func couple(r, q, p, qp []float64) {
	k := len(p)
	clear(q)
	pair := 0
	for i := range k {
		for j := i + 1; j < k; j++ {
			one, other := r[pair], 1-r[pair] // of i and not j, of j and not i
			q[i*k+i] += float64(other * other)
			q[j*k+j] += float64(one * one)
			q[i*k+j], q[j*k+i] = -other*one, -other*one
			pair++
		}
	}
	for i := range p {
		p[i] = 1 / float64(k)
	}
	for range max(100, k) {
		total := 0.
		for i := range p {
			qp[i] = 0
			for j := range p {
				qp[i] += float64(q[i*k+j] * p[j])
			}
			total += float64(p[i] * qp[i])
		}
		worst := 0.
		for _, x := range qp {
			worst = max(worst, math.Abs(x-total))
		}
		if worst < 0.005/float64(k) {
			break
		}
		for i := range p {
			diff := (total - qp[i]) / q[i*k+i]
			p[i] += diff
			total = (total + float64(diff*(float64(diff*q[i*k+i])+float64(2*qp[i])))) / (1 + diff) / (1 + diff)
			for j := range p {
				qp[j] = (qp[j] + float64(diff*q[i*k+j])) / (1 + diff)
				p[j] /= 1 + diff
			}
		}
	}
}
