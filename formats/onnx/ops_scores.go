package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators of the domain ai.onnx.ml that score rows: forests, linear models, support vector machines; and what they have in
// common, labels of classes and transforms of scores. Products and sums are of float64, so that float32 results have the accuracy of the
// library that the model comes from.

// mlDomain precedes the names of the operators of classical machine learning.
const mlDomain = "ai.onnx.ml."

// mlTypes are the types of features.
var mlTypes = ir.SetOf(graph.Float32, graph.Float64, graph.Int32, graph.Int64)

var scoringOps = []operator{
	{mlDomain + "LinearClassifier", 1, latest, 1, 1, mlTypes, with(labelAttrs("classlabels_ints"), attrs{"coefficients": floatList, "intercepts": floatList, "multi_class": 0, "post_transform": "NONE"}), linearClassifier},
	{mlDomain + "LinearRegressor", 1, latest, 1, 1, mlTypes, attrs{"coefficients": floatList, "intercepts": floatList, "targets": 1, "post_transform": "NONE"}, linearRegressor},
	{mlDomain + "SVMClassifier", 1, latest, 1, 1, mlTypes, with(labelAttrs("classlabels_ints"), with(kernelAttrs, attrs{"prob_a": floatList, "prob_b": floatList, "vectors_per_class": intList})), svmClassifier},
	{mlDomain + "SVMRegressor", 1, latest, 1, 1, mlTypes, with(kernelAttrs, attrs{"n_supports": 0, "one_class": 0}), svmRegressor},
	{mlDomain + "TreeEnsemble", 1, latest, 1, 1, ir.SetOf(graph.Float16, graph.Float32, graph.Float64), ensembleAttrs, treeEnsemble},
	{mlDomain + "TreeEnsembleClassifier", 1, latest, 1, 1, mlTypes, classifierAttrs, treeClassifier},
	{mlDomain + "TreeEnsembleRegressor", 1, latest, 1, 1, mlTypes, regressorAttrs, treeRegressor},
}

// transforms has the names of transforms, in the order of the numbers that TreeEnsemble has for them.
var transforms = []string{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}

// afterTransform returns scores [n, k] after a transform.
func (c *call) afterTransform(x graph.Node, transform string) graph.Node {
	switch transform {
	case "NONE":
		return x
	case "SOFTMAX":
		return x.Softmax(1)
	case "LOGISTIC":
		return x.Sigmoid()
	case "SOFTMAX_ZERO": // zeros stay zero
		most := x.Max(1, graph.KeepDims)
		zero := x.Abs().Le(1e-7)
		e := graph.Where(zero, 0, x.Sub(most).Exp())
		y := graph.Where(zero, x.Mul(most.Neg().Exp()), e)
		total := e.Sum(1, graph.KeepDims)
		return y.Div(total)
	case "PROBIT": // onnxruntime's approximation of the inverse error function at 2x-1, times the root of 2
		z := x.Mul(2).Sub(1)
		log := z.Neg().Add(1).Mul(z.Add(1)).Log()
		v := log.Mul(0.5).Add(2 / (3.14159 * 0.147))
		root := v.Square().Sub(log.Mul(1 / 0.147)).Sqrt().Sub(v).Sqrt().Mul(math.Sqrt2)
		return graph.Where(z.Lt(0), root.Neg(), root)
	}
	c.fail("post_transform %q", transform)
	return x
}

// labels are those of classes: numbers, or indices of strings.
type labels struct {
	table graph.Node
	text  bool
}

// labelAttrs are the attributes of labels. The name of the one for numbers differs.
func labelAttrs(numbers string) attrs {
	return attrs{"classlabels_strings": unset{[]string(nil)}, numbers: intList}
}

// labels returns the labels of the attributes, and their number.
func (c *call) labels(numbers string) (labels, int) {
	list64 := c.labelList(numbers)
	if len(list64) == 0 || len(list64) > math.MaxInt16 {
		c.fail("%d labels of classes: there must be 1 to %d", len(list64), math.MaxInt16)
		return labels{}, 0
	}
	return labels{graph.Const(graph.Of(list64)), len(list[string](c, "classlabels_strings")) > 0}, len(list64)
}

func (c *call) labelList(numbers string) []int64 {
	if text := list[string](c, "classlabels_strings"); len(text) > 0 {
		return mapped(text, c.model.words.of)
	}
	return mapped(list[int](c, numbers), func(n int) int64 { return int64(n) })
}

// zeroOrOne returns the labels of a model that has one.
func (c *call) zeroOrOne(l labels) labels {
	l.table = graph.Const(graph.Of([]int64{0, 1}))
	if l.text {
		l.table = graph.Const(graph.Of([]int64{c.model.words.of("0"), c.model.words.of("1")}))
	}
	return l
}

// at returns the labels with given indices.
func (l labels) at(index graph.Node) value {
	return value{kind: computed, node: l.table.Take(0, index), text: l.text}
}

// linear returns the products of the rows of input 0 with rows of coefficients, plus an intercept for each: float64[n, targets].
func (c *call) linear(coefficients, intercepts []float64, targets int) graph.Node {
	x := c.rows(graph.Float64)
	if c.err != nil {
		return x
	}
	if len(coefficients)%targets != 0 || len(coefficients) == 0 {
		c.fail("%d coefficients for %d targets", len(coefficients), targets)
		return x
	}
	y := x.MatMul(graph.Const(graph.Of(coefficients, targets, len(coefficients)/targets)).T())
	if len(intercepts) > 0 {
		y = y.Add(graph.Of(intercepts))
	}
	return y
}

func linearRegressor(c *call) []value {
	targets, intercepts := c.int("targets"), list[float64](c, "intercepts")
	if targets < 1 || targets > math.MaxInt16 || len(intercepts) > 0 && len(intercepts) != targets {
		return c.fail("%d targets, %d intercepts", targets, len(intercepts))
	}
	y := c.linear(list[float64](c, "coefficients"), intercepts, targets)
	if c.err != nil {
		return nil
	}
	return one(c.afterTransform(y.Cast(graph.Float32), c.text("post_transform")))
}

// linearClassifier has one score for two classes, or one for each class.
func linearClassifier(c *call) []value {
	labels, classes := c.labels("classlabels_ints")
	intercepts := list[float64](c, "intercepts")
	targets := len(intercepts)
	if c.err == nil && targets != classes && (targets != 1 || classes > 2) {
		return c.fail("%d intercepts for %d classes", targets, classes)
	}
	if c.err != nil {
		return nil
	}
	y := c.linear(list[float64](c, "coefficients"), intercepts, targets)
	if c.err != nil {
		return nil
	}
	y = y.Cast(graph.Float32)
	transform := c.text("post_transform")
	if targets > 1 {
		return []value{labels.at(y.ArgMax(1)), compute(c.afterTransform(y, transform))}
	}
	if classes == 1 {
		labels = c.zeroOrOne(labels)
	}
	second := labels.at(y.Gt(0).Squeeze(1).Cast(graph.Int64))
	if transform == "LOGISTIC" || transform == "PROBIT" {
		y = c.afterTransform(y, transform)
	}
	if classes == 2 {
		y = graph.Concat(1, y.Neg().Add(1), y)
	}
	return []value{second, compute(y)}
}
