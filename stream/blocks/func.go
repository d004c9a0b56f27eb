package blocks

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// The functions of the passes, and the meaning of their parameters and results.

// InputKind is the kind of a function's parameter.
type InputKind uint8

// The kinds of parameter.
const (
	Rows    InputKind = iota // a block of graph input number ID
	Whole                    // whole value number ID; the graph's inputs come first
	Offset                   // the number of rows before the block, an Int64 scalar
	Carried                  // state number ID after the previous blocks
	Parts                    // in a finish function: parts number ID of all blocks
	States                   // in a finish function: states number ID, along a new first axis
)

var inputNames = [...]string{Rows: "rows", Whole: "whole", Offset: "offset", Carried: "state", Parts: "parts", States: "states"}

// Input is a parameter of a function.
type Input struct {
	Kind InputKind
	ID   int
}

// String returns the kind and the number, such as "rows0".
func (in Input) String() string { return fmt.Sprintf("%s%d", inputNames[in.Kind], in.ID) }

// State is a value that goes from block to block.
type State struct {
	Type ir.Type
	// The initial state is the whole value number From or, if From is negative, the element Bits everywhere.
	Bits uint64
	From int
	// Total is the value that Finish computes from the state, or nil.
	Total *ir.Value
	// Ordered is the op that needs the blocks in order. If it is nil, ranges of blocks can be computed independently
	// from initial states, and their states merged.
	Ordered *ir.Value
}

// Block is the function of a pass for a block.
type Block struct {
	Func   *ir.Func
	Inputs []Input // inputs, one per parameter
	// Func returns blocks of these results of the graph, then the parts, then the states after the block.
	Results []int
	Parts   int
	States  []State

	owners []*ir.Value // the total to which each part contributes
}

// Owner returns the op of the graph to whose total a part contributes.
func (b *Block) Owner(part int) *ir.Value { return b.owners[part] }

// Finish is the function that follows a pass.
type Finish struct {
	Func   *ir.Func // nil if there is nothing to compute
	Inputs []Input
	Whole  []int // numbers of the values that its results are
}

// Block returns the function of a pass for a block of the given number of rows.
func (d *Division) Block(pass, rows int) (b *Block, err error) {
	defer catch(&err)
	w := d.writer(fmt.Sprintf("%s_pass%d", d.f.Name, pass))
	w.rows = rows
	b = &Block{}
	var parts []*ir.Value
	for i, r := range d.f.Results {
		if p := d.places[r]; !p.whole() && p.after == pass {
			b.Results = append(b.Results, i)
			w.f.Results = append(w.f.Results, w.value(r))
		}
	}
	for _, v := range d.passTotals(pass) {
		made := d.totals[v].block(w, v)
		parts = append(parts, made...)
		for range made {
			b.owners = append(b.owners, v)
		}
	}
	b.Parts, b.States, b.Inputs = len(parts), w.states, w.inputs
	w.f.Results = slices.Concat(w.f.Results, parts, w.next)
	b.Func = w.f
	b.Func.Number()
	return b, nil
}

// passTotals returns the totals that a pass computes.
func (d *Division) passTotals(pass int) []*ir.Value {
	return slices.DeleteFunc(slices.Clone(d.f.Body), func(v *ir.Value) bool {
		_, is := d.totals[v]
		return !is || d.places[v].after != pass+1
	})
}

// Finish returns the function after pass -1, 0, ... b is a block function of the pass, or nil for pass -1. parts are
// the first extents of the concatenated parts, and states is the number of ranges of blocks that were computed
// independently.
func (d *Division) Finish(pass int, b *Block, parts []int, states int) (f *Finish, err error) {
	defer catch(&err)
	w := d.writer(fmt.Sprintf("%s_finish%d", d.f.Name, pass))
	w.level, w.parts = pass+1, map[*ir.Value][]*ir.Value{}
	if b != nil {
		w.declare(b, parts, states)
	}
	f = &Finish{}
	for _, v := range d.f.Body {
		if d.kept(v) && d.places[v].after == w.level {
			f.Whole = append(f.Whole, d.f.Index(v))
			w.f.Results = append(w.f.Results, w.value(v))
		}
	}
	if f.Inputs = w.inputs; len(f.Whole) > 0 {
		f.Func = w.f
		f.Func.Number()
	}
	return f, nil
}

// declare makes the parameters for parts and states.
func (w *writer) declare(b *Block, parts []int, states int) {
	results := b.Func.Results[len(b.Results):]
	for i := range b.Parts {
		t := results[i].Type
		t.Shape = append(ir.Shape{ir.Fixed(parts[i])}, t.Shape[1:]...)
		v := b.owners[i]
		w.parts[v] = append(w.parts[v], w.param(Input{Parts, i}, t))
	}
	for i, s := range b.States {
		if s.Total == nil {
			continue
		}
		t := s.Type
		t.Shape = append(ir.Shape{ir.Fixed(states)}, t.Shape...)
		w.parts[s.Total] = append(w.parts[s.Total], w.param(Input{States, i}, t))
	}
}

// kept reports whether a finish function returns a whole value: results of the graph, and values that a later function
// reads.
func (d *Division) kept(v *ir.Value) bool {
	return d.places[v].whole() && (slices.Contains(d.f.Results, v) || d.initial[v] || d.read[v] && !isSource(v))
}

// findRead records the whole values that other functions read than those that compute them.
func (d *Division) findRead() {
	for _, u := range d.f.Body {
		_, total := d.totals[u]
		for _, v := range u.Args {
			if total || !d.places[u].whole() || d.places[u].after > d.places[v].after {
				d.read[v] = true
			}
		}
	}
}

// Totals returns the numbers of the whole values that the finish function of a pass computes.
func (d *Division) Totals(pass int) []int {
	var ids []int
	for _, v := range d.f.Body {
		if d.kept(v) && d.places[v].after == pass+1 {
			ids = append(ids, d.f.Index(v))
		}
	}
	return ids
}

// Type returns the type of the value with a number.
func (d *Division) Type(id int) ir.Type {
	return d.total(slices.Concat(d.f.Params, d.f.Body)[id])
}
