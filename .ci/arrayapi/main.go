// Command arrayapi evaluates functions of the Python array API by package graph, for the adapter in stridefuse_array.py.
//
// Each request is a line of JSON with the name of a function, its arguments and the types of arrays, followed by the
// elements of the arrays; so is each reply. Elements of complex arrays are pairs of floats.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// array is the type of an array in JSON, and its elements.
type array struct {
	DType string        `json:"dtype"`
	Shape []int         `json:"shape"`
	T     *graph.Tensor `json:"-"` // of complex numbers, with a last axis for the two parts
}

type request struct {
	Op     string         `json:"op"`
	Args   map[string]any `json:"args"`
	Arrays []array        `json:"arrays"`
}

type reply struct {
	Error  string  `json:"error,omitempty"`
	Value  any     `json:"value,omitempty"` // a result that is no array
	Arrays []array `json:"arrays"`
	Many   bool    `json:"many"` // the result is a tuple or a list
}

func main() {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q request
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber() // 2 is an integer, and 2.0 is not
		if err := d.Decode(&q); err != nil {
			panic(err)
		}
		if err := q.read(in); err != nil {
			panic(err)
		}
		r := q.evaluate(string(line))
		text, err := json.Marshal(r)
		if err != nil {
			panic(err)
		}
		out.Write(append(text, '\n'))
		for _, a := range r.Arrays {
			out.Write(stored(a.T.Contiguous()))
		}
		out.Flush()
	}
}

// parts returns the type of the numbers of an array, and whether there are two in an element.
func parts(dtype string) (dt graph.DType, isComplex bool) {
	switch dtype {
	case "complex64":
		return graph.Float32, true
	case "complex128":
		return graph.Float64, true
	}
	for dt := graph.DType(0); dt < 64; dt++ {
		if dt.String() == dtype {
			return dt, false
		}
	}
	panic(fmt.Sprintf("no element type %q", dtype))
}

// of returns an array of a tensor.
func of(t *graph.Tensor, isComplex bool) array {
	shape, name := t.Shape(), t.DType().String()
	if isComplex {
		shape, name = shape[:len(shape)-1], map[graph.DType]string{graph.Float32: "complex64", graph.Float64: "complex128"}[t.DType()]
	}
	return array{name, slices.Clone(shape), t}
}

// stored returns the bytes of a row-major tensor.
func stored(t *graph.Tensor) []byte {
	if t.Size() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(t.Pointer()), t.Size()*t.DType().Size())
}

// read reads the elements of the arrays.
func (q *request) read(in io.Reader) error {
	for i := range q.Arrays {
		a := &q.Arrays[i]
		dt, isComplex := parts(a.DType)
		shape := a.Shape
		if isComplex {
			shape = append(slices.Clone(shape), 2)
		}
		a.T = graph.New(dt, shape...)
		if err := a.T.Err(); err != nil {
			return err
		}
		if _, err := io.ReadFull(in, stored(a.T)); err != nil {
			return err
		}
	}
	return nil
}

// compiled is the program of a request, for arrays of other elements too.
type compiled struct {
	program *graph.Program
	outs    []value
	many    bool
}

var programs = map[string]*compiled{}

// evaluate computes a request. Its text is the key of its program.
func (q *request) evaluate(text string) (r reply) {
	defer func() {
		if e := recover(); e != nil {
			r = reply{Error: strings.TrimSpace(fmt.Sprint(e))}
		}
	}()
	ctx := context.Background()
	if q.Op == "names" {
		names := slices.Collect(maps.Keys(nodes))
		return reply{Value: slices.Sorted(slices.Values(slices.Concat(names, slices.Collect(maps.Keys(tensors)), slices.Collect(maps.Keys(facts)))))}
	}
	c := &call{request: q}
	if f := facts[q.Op]; f != nil {
		return reply{Value: f(c)}
	}
	if f := tensors[q.Op]; f != nil {
		if outs, ok := f(ctx, c); ok {
			return reply{Arrays: outs, Many: c.many}
		}
	}
	p := programs[text]
	if p == nil {
		f := nodes[q.Op]
		if f == nil {
			panic("there is no such function")
		}
		p = &compiled{outs: f(c), many: c.many}
		items := make([]graph.Item, 0, len(p.outs))
		for i, y := range p.outs {
			items = append(items, graph.Output(fmt.Sprint("y", i), y.node()))
		}
		if len(items) == 0 {
			return reply{Many: true}
		}
		var err error
		p.program, err = graph.Compile(items...)
		check(err)
		programs[text] = p
	}
	var ins []*graph.Tensor
	for _, in := range p.program.Inputs() {
		var i int
		fmt.Sscanf(in.Name, "x%d", &i)
		ins = append(ins, q.Arrays[i].T)
	}
	outs, err := p.program.RunAll(ctx, ins...)
	check(err)
	r = reply{Many: p.many}
	for i, t := range outs {
		r.Arrays = append(r.Arrays, of(t, p.outs[i].complex))
	}
	return r
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// value is a real or complex Node.
type value struct {
	re      graph.Node
	z       cmplx.Node
	complex bool
}

func realOf(x graph.Node) value    { return value{re: x} }
func complexOf(z cmplx.Node) value { return value{z: z, complex: true} }

// node returns the Node of an output: of complex numbers, with their parts along a last axis.
func (v value) node() graph.Node {
	if v.complex {
		return v.z.Interleaved()
	}
	return v.re
}

// view applies a function that moves elements.
func (v value) view(f func(x graph.Node) graph.Node) value {
	if v.complex {
		return complexOf(v.z.View(f))
	}
	return realOf(f(v.re))
}

// shape returns the shape of a value, which is of numbers.
func (v value) shape() []int {
	s := v.re.Shape
	if v.complex {
		s = v.z.Shape
	}
	ints, _ := s().Ints()
	return ints
}

// dtype returns the type of the numbers.
func (v value) dtype() graph.DType {
	if v.complex {
		return v.z.Real().DType()
	}
	return v.re.DType()
}

// cast converts a value.
func (v value) cast(dt graph.DType, isComplex bool) value {
	switch {
	case v.complex:
		return v.view(func(x graph.Node) graph.Node { return x.Cast(dt) })
	case isComplex:
		x := v.re.Cast(dt)
		return complexOf(cmplx.Make(x, x.Scalar(0).BroadcastTo(x.Shape())))
	}
	return realOf(v.re.Cast(dt))
}
