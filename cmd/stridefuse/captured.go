package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// The lines of a dump before its graph: inputs with the line of the user's source that made them, and tensors that the program captured, with
// their elements or, if they are many, a checksum.

// capture is a captured tensor.
type capture struct {
	tensor   *graph.Tensor // nil if neither the dump nor a file has it
	constant bool          // it never changes: the compiler may compute with it
}

// paramLine returns the kind and the name in a line of a dump about an input or a captured tensor, and where the line goes on.
func paramLine(line string) (s *ir.Scanner, kind, name string, ok bool) {
	for _, kind = range []string{"input", "constant", "variable"} {
		if text, is := strings.CutPrefix(line, "// "+kind+" "); is {
			s = ir.NewScanner(line)
			s.Pos = len(line) - len(text)
			name = s.Name("the name of a tensor")
			return s, kind, name, s.Bad == nil && s.Next() == ':' // else it is a comment of somebody's
		}
	}
	return nil, "", "", false
}

// capture reads the lines of a dump about inputs and captured tensors. Files of the command line come before elements in the dump.
func (t *tool) capture(dump string) error {
	t.captured, t.made = map[string]capture{}, map[string]ir.Pos{}
	n := 0
	for line := range strings.Lines(dump) {
		n++
		s, kind, name, ok := paramLine(line)
		if !ok {
			continue
		}
		if kind == "input" {
			s.Want(":")
			s.Typ()
			if made := s.EndLine(); s.Bad == nil {
				t.made[name] = made
			}
			continue
		}
		c := capture{constant: kind == "constant"}
		var err error
		if c.tensor, err = t.capturedTensor(s, name); err == nil {
			err = s.Err()
		}
		if in := (*ir.ParseError)(nil); errors.As(err, &in) {
			return inFile(err, t.arg, dump, n-1)
		} else if err != nil {
			return err // of a file of the command line
		}
		t.captured[name], t.made[name] = c, s.EndLine()
	}
	return nil
}

// capturedTensor reads the rest of a line: " : f32[2] = 1 2", or " : f32[2] sum 0123".
func (t *tool) capturedTensor(s *ir.Scanner, name string) (*graph.Tensor, error) {
	s.Want(":")
	at := s.Blanks()
	typ := s.Typ()
	shape, known := typ.Shape.Ints()
	if s.Bad == nil && (typ.Check() != nil || !known) {
		s.Refuse(at, "%s is no type of a tensor", typ)
	}
	file := slices.IndexFunc(t.in, func(n named) bool { return n.name == name })
	var given *graph.Tensor
	if file >= 0 && s.Bad == nil {
		x, err := readArray(t.in[file].file)
		if err == nil {
			err = fits(graph.Port{Name: name, DType: typ.DType, Shape: typ.Shape}, x)
		}
		if err != nil {
			return nil, err
		}
		given = x
	}
	if s.Accept("sum") {
		s.Blanks()
		if sum := s.Run(ir.IsHex); given != nil && sum != fmt.Sprintf("%016x", graph.Checksum(given)) {
			return nil, fmt.Errorf("%s has other elements than the dump's %s", t.in[file].file, name)
		}
		return given, nil
	}
	s.Want("=")
	var words []uint64
	for s.Bad == nil && s.Next() != 0 && s.Next() != '\n' && s.Next() != '/' {
		at := s.Blanks()
		bits, err := ir.ParseConst(typ.DType, s.Constant())
		if err != nil {
			s.Refuse(at, "%v", err)
		}
		words = append(words, bits)
	}
	n, _ := typ.Shape.NumElems().Int()
	if s.Bad == nil && n != len(words) {
		s.Refuse(at, "%d elements for %s", len(words), typ)
	}
	if given != nil || s.Bad != nil {
		return given, nil
	}
	x := tensor.OfWords(typ.DType, words, shape...)
	return x, x.Err()
}

// constants returns the constants of a graph whose elements are known, as an option.
func (t *tool) constants(f *ir.Func) graph.Option {
	known := map[string]*graph.Tensor{}
	for _, p := range f.Params {
		if c := t.captured[p.Name()]; c.constant && c.tensor != nil {
			known[p.Name()] = c.tensor
		}
	}
	return graph.WithConstants(known)
}

// computed computes the values of a text that are computed once from constants, if these are known. They are constants then.
func (t *tool) computed(p program, results []string) (bool, error) {
	if len(p.Inputs()) > 0 {
		return false, nil
	}
	outs, err := p.RunAll(context.Background())
	if err != nil {
		return false, err
	}
	if len(outs) != len(results) {
		return false, fmt.Errorf("%s: %d results are computed once, and the text names %d", t.arg, len(outs), len(results))
	}
	for i, name := range results {
		t.captured[name] = capture{outs[i], true}
	}
	return true, nil
}
