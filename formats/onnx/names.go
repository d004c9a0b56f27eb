package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Names of inputs, values and sizes in graphs, and what they stand for in the model.

// Size is an axis of an input whose extent may differ from run to run. Axes of one name have one extent, unless a run
// brings others: then the model is compiled for these.
type Size struct {
	Input string
	Axis  int
	Name  string // in graphs and errors
}

// String returns the size by its axis, such as "input x axis 1". WithSize takes this, and the name.
func (s Size) String() string { return fmt.Sprintf("input %s axis %d", s.Input, s.Axis) }

// axes are those of an input.
type axes struct {
	shape graph.Shape
	sizes []Size
}

// sizesOf names the sizes of inputs, and gives numbers to those that have one by WithSize. Exporters write nothing, ? or a
// negative number for an unknown extent; such an axis has a size of its own.
func (e entry) sizesOf(inputs []port) (of map[string]axes, errs []error) {
	names, used := map[string]string{}, map[string]bool{}
	of = map[string]axes{}
	numbers := e.settings.sizes
	given := map[string]int{} // by names in graphs
	var all []Size
	for _, in := range inputs {
		for k, d := range in.dims {
			text, _ := d.(string)
			if _, fixed := d.(int); fixed {
				continue
			}
			size := Size{Input: in.name, Axis: k, Name: names[text]}
			switch {
			case !strings.ContainsFunc(text, func(r rune) bool { return r != '?' && r != '*' && r != '-' && r != ' ' }):
				text = fmt.Sprintf("%s_axis_%d", in.name, k)
				size.Name = e.sizes.of(text)
			case size.Name == "":
				size.Name = e.sizes.of(text)
				names[text] = size.Name
			}
			for _, name := range []string{text, size.Name, size.String()} {
				if n, ok := numbers[name]; ok {
					given[size.Name], used[name] = n, true
				}
			}
			all = append(all, size)
		}
	}
	sizes := all
	for _, in := range inputs {
		a := axes{shape: make(graph.Shape, len(in.dims))}
		for k, d := range in.dims {
			if n, fixed := d.(int); fixed {
				a.shape[k] = ir.Fixed(n)
				continue
			}
			size := all[0]
			all = all[1:]
			if n, known := given[size.Name]; known {
				a.shape[k] = ir.Fixed(n)
				continue
			}
			a.shape[k] = graph.Dim(size.Name)
			a.sizes = append(a.sizes, size)
		}
		of[in.name] = a
	}
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		if !used[name] {
			errs = append(errs, fmt.Errorf("size: the model's inputs have no size %q: they have %q", name, sizes))
		}
	}
	return of, errs
}

// identifier returns a name with _ in place of characters that names of a graph can't have.
func identifier(name string) string {
	name = strings.Map(func(c rune) rune {
		if ir.IsName("_" + string(c)) {
			return c
		}
		return '_'
	}, name)
	if !ir.IsName(name) {
		name = "_" + name
	}
	return name
}

// identifiers has the names in use, each with the number at the end of the last name derived from it, 1 for none.
type identifiers map[string]int

// of returns a unique identifier for a name.
func (taken identifiers) of(name string) string {
	name = identifier(name)
	for base := name; taken[name] > 0; {
		taken[base]++
		name = fmt.Sprintf("%s_%d", base, taken[base])
	}
	taken[name] = 1
	return name
}
