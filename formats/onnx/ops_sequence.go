package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Sequences and optional values. The number of elements of a sequence and the presence of an optional value are known
// at load: a sequence is a list of values, and its operators need no kernels.

var sequences = []operator{
	{"ConcatFromSequence", 11, latest, 1, 1, anySequence, attrs{"axis": unset{0}, "new_axis": 0}, concatSequence},
	{"Optional", 15, latest, 0, 1, anything, attrs{"type": unset{elementType{}}}, optionalValue},
	{"OptionalGetElement", 15, latest, 1, 1, anything, nil, optionalElement},
	{"OptionalHasElement", 15, 17, 1, 1, anything, nil, hasElement},
	{"OptionalHasElement", 18, latest, 0, 1, anything, nil, hasElement},
	{"SequenceAt", 11, latest, 2, 2, anySequence, nil, sequenceAt},
	{"SequenceConstruct", 11, latest, 1, many, ir.AllTypes, nil, sequenceConstruct},
	{"SequenceEmpty", 11, latest, 0, 0, 0, attrs{"dtype": unset{0}}, func(*call) []value { return []value{sequenceOf(nil)} }},
	{"SequenceErase", 11, latest, 1, 2, anySequence, nil, sequenceErase},
	{"SequenceInsert", 11, latest, 2, 3, anySequence, nil, sequenceInsert},
	{"SequenceLength", 11, latest, 1, 1, anySequence, nil, func(c *call) []value {
		return []value{constantOf(graph.ScalarOf(int64(len(c.in[0].items))))}
	}},
	{"SequenceMap", 17, latest, 1, many, anySequence, attrs{"body": unset{(*subgraph)(nil)}}, sequenceMap},
	{"SplitToSequence", 11, latest, 1, 2, ir.AllTypes, attrs{"axis": 0, "keepdims": 1}, splitToSequence},
}

// elementType is the type of an absent optional value, which has no other information.
type elementType struct{}

func sequenceOf(items []value) value { return value{kind: sequence, items: items} }

func sequenceConstruct(c *call) []value {
	for i := range c.in {
		if !c.has(i) {
			return c.fail("input %d is missing", i)
		}
	}
	return []value{sequenceOf(c.in)}
}

// place returns the index in input i, counted from 0, of n.
func (c *call) place(i, n int) int {
	k := c.int1(i)
	if c.err == nil && (k < -n || k >= n) {
		c.fail("position %d in a sequence of %d", k, n)
	}
	if c.err != nil {
		return 0
	}
	return (k + n) % n
}

func sequenceAt(c *call) []value {
	items := c.in[0].items
	k := c.place(1, len(items))
	if c.err != nil {
		return nil
	}
	return []value{items[k]}
}

func sequenceErase(c *call) []value {
	items := slices.Clone(c.in[0].items)
	k := len(items) - 1
	if c.has(1) || k < 0 {
		k = c.place(1, len(items))
	}
	if c.err != nil {
		return nil
	}
	return []value{sequenceOf(slices.Delete(items, k, k+1))}
}

func sequenceInsert(c *call) []value {
	items := slices.Clone(c.in[0].items)
	k := len(items)
	if c.has(2) {
		if k = c.int1(2); k < 0 {
			k += len(items)
		}
	}
	if !c.in[1].isTensor() {
		return c.fail("input 1 must be a tensor")
	}
	if c.err != nil || k < 0 || k > len(items) {
		return c.fail("position %d in a sequence of %d", k, len(items))
	}
	return []value{sequenceOf(slices.Insert(items, k, c.in[1]))}
}

func concatSequence(c *call) []value {
	items := c.in[0].items
	if len(items) == 0 {
		return c.fail("a sequence without elements")
	}
	nodes := mapped(items, c.nodeOf)
	if c.flag("new_axis") {
		return one(graph.Stack(c.int("axis"), nodes...))
	}
	return one(graph.Concat(c.int("axis"), nodes...))
}

// splitToSequence splits into parts of one size (the last may be smaller) or of given sizes. Parts of the default size
// 1 may lose the axis.
func splitToSequence(c *call) []value {
	x := c.x(0)
	axis := c.axis(x.Rank())
	if c.err != nil {
		return nil
	}
	extent, fixed := x.Shape()[axis].Int()
	var sizes []int
	if size := []int{1}; !c.has(1) || len(c.in[1].shape()) == 0 {
		if c.has(1) {
			size = c.ints(1)
		}
		if c.err != nil || !fixed || size[0] < 1 || extent/size[0] > mostTrips {
			return c.fail("parts of an axis of extent %s: it must be known at load, and there may be up to %d", x.Shape()[axis], mostTrips)
		}
		for at := 0; at < extent; at += size[0] {
			sizes = append(sizes, min(size[0], extent-at))
		}
	} else {
		sizes = c.ints(1)
	}
	if c.spend(len(sizes)); c.err != nil {
		return nil
	}
	var items []value
	for _, part := range x.Split(axis, sizes...) {
		if !c.has(1) && !c.flag("keepdims") {
			part = part.Squeeze(axis)
		}
		items = append(items, value{kind: computed, node: part, stage: c.stage})
	}
	return []value{sequenceOf(items)}
}

// sequenceMap builds its body for each element of the first sequence, together with the elements of other sequences at
// that index and the values that are not sequences.
func sequenceMap(c *call) []value {
	g, n := need[*subgraph](c, "body"), len(c.in[0].items)
	if c.err != nil {
		return nil
	}
	out := make([]value, len(g.outputs))
	for k := range out {
		out[k] = sequenceOf(nil)
	}
	for i := range n {
		in := slices.Clone(c.in)
		for k, v := range in {
			switch {
			case v.kind == sequence && len(v.items) != n:
				return c.fail("sequences of %d and %d elements", n, len(v.items))
			case v.kind == sequence:
				in[k] = v.items[i]
			}
		}
		made := c.body(g, in)
		if c.err != nil {
			return nil
		}
		for k, v := range made {
			if !v.isTensor() {
				return c.fail("output %d of the body is a sequence or an optional value: sequences are of tensors", k)
			}
			out[k].items, out[k].stage = append(out[k].items, v), max(out[k].stage, v.stage, c.stage)
		}
	}
	for _, of := range out {
		for i, v := range of.items {
			of.items[i] = c.stages.carry(v, of.stage)
		}
	}
	return out
}

// optionalValue returns its input, or an absent value.
func optionalValue(c *call) []value {
	if c.has(0) {
		return c.in
	}
	return []value{{kind: absent}}
}

func hasElement(c *call) []value {
	return []value{constantOf(graph.ScalarOf(c.has(0) && c.in[0].kind != absent))}
}

func optionalElement(c *call) []value {
	if c.in[0].kind == absent {
		return c.fail("the optional value is not there")
	}
	return c.in
}
