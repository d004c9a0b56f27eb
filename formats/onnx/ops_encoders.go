package onnx

import (
	"context"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators of ai.onnx.ml that look values up: strings become numbers here and numbers strings.

var encoders = []operator{
	{mlDomain + "CategoryMapper", 1, latest, 1, 1, ir.SetOf(graph.Int64), attrs{"cats_int64s": intList, "cats_strings": unset{[]string(nil)}, "default_int64": -1, "default_string": unusedWord}, categoryMapper},
	{mlDomain + "LabelEncoder", 1, latest, 1, 1, ir.SetOf(graph.Float32, graph.Float64, graph.Int16, graph.Int32, graph.Int64, graph.Bool), attrs{
		"classes_strings": unset{[]string(nil)},
		"keys_floats":     floatList, "keys_int64s": intList, "keys_strings": unset{[]string(nil)}, "keys_tensor": tensorAttr,
		"values_floats": floatList, "values_int64s": intList, "values_strings": unset{[]string(nil)}, "values_tensor": tensorAttr,
		"default_float": math.Copysign(0, -1), "default_int64": -1, "default_string": unusedWord, "default_tensor": tensorAttr,
	}, labelEncoder},
	{mlDomain + "OneHotEncoder", 1, latest, 1, 1, mlTypes, attrs{"cats_int64s": intList, "cats_strings": unset{[]string(nil)}, "zeros": 1}, oneHotEncoder},
	{mlDomain + "ZipMap", 1, latest, 1, 1, ir.SetOf(graph.Float32), labelAttrs("classlabels_int64s"), zipMap},
}

// tableColumn is a list of keys or values: numbers, or strings.
type tableColumn struct {
	*graph.Tensor
	text bool
}

func (c *call) textColumn(list []string) tableColumn {
	return tableColumn{graph.Of(mapped(list, c.model.words.of)), true}
}

// lookedUp returns for each element of input 0 the value of its key, the first of equal ones, and otherwise the last value, which has no key.
func (c *call) lookedUp(keys, values tableColumn) []value {
	switch n := keys.Size(); {
	case keys.text != c.in[0].text:
		return c.fail("keys and input 0 must both be strings, or numbers")
	case keys.Rank() > 1 || values.Rank() > 1 || values.Size() != n+1:
		return c.fail("%d keys, %d values: there must be as many", n, values.Size()-1)
	}
	x, table := c.x(0), graph.Const(values.Tensor)
	if c.err != nil {
		return nil
	}
	var index graph.Node
	if keys.text {
		index = c.indexOfWord(x, keys.Tensor)
	} else {
		index = c.indexOfNumber(x, keys.Tensor)
	}
	if c.err != nil {
		return nil
	}
	return []value{{kind: computed, node: table.Take(0, index), text: values.text}}
}

// indexOfWord looks strings up in a table of all strings of the model.
func (c *call) indexOfWord(x graph.Node, keys *graph.Tensor) graph.Node {
	list, err := graph.Data[int64](keys.Contiguous())
	if err != nil {
		c.fail("%w", err)
	}
	table := slices.Repeat([]int64{int64(len(list))}, len(c.model.words.list)+1) // the first one for -1
	for i, w := range slices.Backward(list) {
		table[w+1] = int64(i)
	}
	return graph.Const(graph.Of(table)).Take(0, x.Add(1))
}

// indexOfNumber looks numbers up by binary search. NaN equals NaN.
func (c *call) indexOfNumber(x graph.Node, keys *graph.Tensor) graph.Node {
	n := keys.Size()
	if x.DType() == graph.Bool || x.DType() == graph.Int16 {
		x = x.Cast(graph.Int32)
	}
	if n == 0 {
		return x.Cast(graph.Int64).Mul(0)
	}
	key := graph.Const(keys).Cast(x.DType())
	sorted, order := key.Sort(0), key.ArgSort(0)
	at := sorted.SearchSorted(x, false).Minimum(n - 1)
	match := sorted.Take(0, at)
	hit := match.Eq(x)
	if ir.Floats.Has(x.DType()) {
		hit = hit.Or(match.IsNaN().And(x.IsNaN()))
	}
	return graph.Where(hit, order.Take(0, at), n)
}

// labelEncoder maps keys to values. Version 1 maps between strings and their numbers in one list.
func labelEncoder(c *call) []value {
	if classes := list[string](c, "classes_strings"); len(classes) > 0 {
		numbers := tableColumn{graph.Of(mapped(from(0, len(classes)), func(i int) int64 { return int64(i) })), false}
		return c.mapped(c.textColumn(classes), numbers)
	}
	keys, ok := c.column("keys")
	if !ok {
		return c.fail("there are no keys")
	}
	values, ok := c.column("values")
	if !ok {
		return c.fail("there are no values")
	}
	return c.lookedUp(keys, c.withDefault(values))
}

// column returns the list of keys or values that the attributes have.
func (c *call) column(prefix string) (tableColumn, bool) {
	if t, ok := attr[*graph.Tensor](c, prefix+"_tensor"); ok {
		return tableColumn{t, c.model.words.texts[t]}, true
	}
	if v, ok := attr[[]string](c, prefix+"_strings"); ok {
		return c.textColumn(v), true
	}
	if v, ok := attr[[]int](c, prefix+"_int64s"); ok {
		return tableColumn{graph.Of(converted[int64](v)), false}, true
	}
	if v, ok := attr[[]float64](c, prefix+"_floats"); ok {
		return tableColumn{graph.Of(converted[float32](v)), false}, true
	}
	return tableColumn{}, false
}

// withDefault appends the value of what has no key.
func (c *call) withDefault(values tableColumn) tableColumn {
	last := tableColumn{}
	t, ok := c.node.attrs["default_tensor"].(*graph.Tensor) // CategoryMapper has none
	switch {
	case ok && c.model.words.texts[t] != values.text:
		c.fail("default_tensor and the values must both be strings, or numbers")
		return values
	case ok && (t.Size() != 1 || t.DType() != values.DType()):
		c.fail("default_tensor has %d elements of %s: it must have one of %s", t.Size(), t.DType(), values.DType())
		return values
	case ok:
		last.Tensor = t.Reshape(1)
	case values.text:
		last = c.textColumn([]string{c.text("default_string")})
	case ir.Floats.Has(values.DType()):
		last.Tensor = graph.Of([]float32{float32(c.float("default_float"))})
	default:
		last.Tensor = graph.Of([]int64{int64(c.int("default_int64"))})
	}
	p, err := graph.Compile(graph.Concat(0, graph.Const(values.Tensor).Flatten(), graph.Const(last.Tensor).Cast(values.DType())))
	if err == nil {
		values.Tensor, err = p.Run(context.Background())
	}
	if err != nil {
		c.fail("%w", err)
	}
	return values
}

// mapped maps strings to numbers, or numbers to strings, whichever input 0 is.
func (c *call) mapped(strings, numbers tableColumn) []value {
	if c.in[0].text {
		return c.lookedUp(strings, c.withDefault(numbers))
	}
	return c.lookedUp(numbers, c.withDefault(strings))
}

func categoryMapper(c *call) []value {
	numbers := tableColumn{graph.Of(converted[int64](list[int](c, "cats_int64s"))), false}
	return c.mapped(c.textColumn(list[string](c, "cats_strings")), numbers)
}

// oneHotEncoder appends an axis of categories. Without the attribute zeros, a run fails if an element is no
// category.
func oneHotEncoder(c *call) []value {
	cats := converted[int64](list[int](c, "cats_int64s"))
	if text := list[string](c, "cats_strings"); len(text) > 0 {
		cats = mapped(text, c.model.words.of)
		if !c.in[0].text {
			return c.fail("categories are strings, and input 0 is not")
		}
	} else if c.in[0].text {
		return c.fail("categories are numbers, and input 0 is strings")
	}
	if len(cats) == 0 {
		return c.fail("there are no categories")
	}
	x := c.x(0).Cast(graph.Int64)
	hot := x.Unsqueeze(-1).Eq(graph.Const(graph.Of(cats)))
	if !c.flag("zeros") {
		known := graph.Where(hot.Any(-1, graph.KeepDims), graph.Scalar(graph.Int64, 0), 1)
		exists := graph.Const(graph.Of([]bool{true})).Take(0, known) // index 1, for an element that is no category, is an error
		hot = hot.And(exists)
	}
	return one(hot.Cast(graph.Float32))
}

// zipMap returns the numbers of its maps. Their keys are Program.Classes.
func zipMap(c *call) []value { return []value{c.in[0]} }

// classes returns the labels of the outputs that ZipMap makes.
func (m *model) classes() map[string]*graph.Tensor {
	all := map[string]*graph.Tensor{}
	for _, n := range m.body.nodes {
		if n.opName() != mlDomain+"ZipMap" || len(n.outputs) == 0 {
			continue
		}
		c := call{builder: &builder{model: m}, op: table[n.opName()][0], node: n}
		all[n.outputs[0]] = graph.Of(c.labelList("classlabels_int64s"))
	}
	return all
}

// strings returns the names of inputs and outputs that are strings.
func (g *subgraph) strings() (names []string) {
	for _, in := range g.inputs {
		if in.text {
			names = append(names, in.name)
		}
	}
	return append(names, g.texts...)
}
