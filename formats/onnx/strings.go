package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// Strings are labels and categories, which a model compares and selects and does not compute with. Graphs have no strings: a string is
// its index in the list of words of the model, an int64. All strings of a file are words, with those that are defaults of operators. All
// strings of the run that are no words have the index -1. So one operand of Equal must be words, and Decode fails for -1.

// vocabulary has the strings of a model.
type vocabulary struct {
	list  []string
	index map[string]int64
	texts map[*graph.Tensor]bool // tensors of indices that stand for strings
}

func newVocabulary() *vocabulary {
	w := &vocabulary{index: map[string]int64{}, texts: map[*graph.Tensor]bool{}}
	w.add(unusedWord, "0", "1") // defaults of operators
	return w
}

// unusedWord is the default of encoders.
const unusedWord = "_Unused"

func (w *vocabulary) add(all ...string) {
	for _, s := range all {
		if _, known := w.index[s]; !known {
			w.index[s] = int64(len(w.list))
			w.list = append(w.list, s)
		}
	}
}

// of returns the index of a string, or -1.
func (w *vocabulary) of(s string) int64 {
	if i, known := w.index[s]; known {
		return i
	}
	return -1
}

// tensor returns strings of a file as a tensor of indices.
func (w *vocabulary) tensor(all []string, shape ...int) *graph.Tensor {
	w.add(all...)
	t := graph.Of(mapped(all, w.of)).Reshape(shape...)
	w.texts[t] = true
	return t
}

// constant returns a tensor of a file as a value.
func (m *model) constant(t *graph.Tensor) value {
	v := constantOf(t)
	v.text = m.words.texts[t]
	return v
}

// texts has the operators that take strings, and says whether their results are strings then. Operators that make strings of
// other values set value.text.
var texts = map[string]bool{
	"Cast": true, "Compress": true, "Concat": true, "Equal": false, "Expand": true, "Flatten": true, "Gather": true, "GatherElements": true,
	"GatherND": true, "Identity": true, "Reshape": true, "Shape": false, "Size": false, "Slice": true, "Split": true, "Squeeze": true,
	"Tile": true, "Transpose": true, "Unsqueeze": true, "Where": true,
	mlDomain + "ArrayFeatureExtractor": true, mlDomain + "CategoryMapper": false, mlDomain + "LabelEncoder": false, mlDomain + "OneHotEncoder": false,
}

// checkTexts returns an error for strings that the operator does not take.
func (c *call) checkTexts() error {
	for i, v := range c.in {
		if _, takes := texts[c.op.name]; v.text && !takes {
			return fmt.Errorf("input %d is of strings: it takes numbers", i)
		}
	}
	switch isText := func(v value) bool { return v.text }; {
	case c.op.name != "Equal" || !slices.ContainsFunc(c.in, isText):
	case !c.in[0].text || !c.in[1].text:
		return errors.New("both operands must be strings, or numbers")
	case !slices.ContainsFunc(c.in, value.isWords):
		return errors.New("strings are compared with constant ones of the model only: others can't be told apart")
	}
	return nil
}

// isWords reports whether the value is constant strings of the model.
func (v value) isWords() bool {
	if v.kind != constant || !v.text {
		return false
	}
	all, err := graph.Data[int64](v.tensor.Contiguous())
	return err == nil && !slices.Contains(all, -1)
}

// marksTexts marks the results that are strings because an input is.
func (c *call) marksTexts(outs []value) {
	if texts[c.op.name] && slices.ContainsFunc(c.in, func(v value) bool { return v.text }) {
		for i := range outs {
			outs[i].text = true
		}
	}
}

// Encode returns strings as the tensor of int64 that stands for them in inputs of the model: each is the index of a string of the
// model, or -1 if the model does not have it. Without a shape the tensor has one axis.
func (p *Program) Encode(strings []string, shape ...int) *graph.Tensor {
	if len(shape) == 0 {
		shape = []int{len(strings)}
	}
	return graph.Of(mapped(strings, p.words.of), shape...)
}

// Decode returns the strings that the elements of a tensor of int64 stand for, in row-major order: an output of the model, or what
// Encode made. -1 is an error, as it stands for any string that the model does not have: an output has it where the model passes such a
// string of an input on.
func (p *Program) Decode(t *graph.Tensor) ([]string, error) {
	if t.Err() == nil && t.DType() != graph.Int64 {
		return nil, fmt.Errorf("onnx: a tensor of %s has no strings: those of the model are int64, and Strings names them", t.DType())
	}
	all, err := graph.All[int64](t)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range all {
		switch {
		case i == -1:
			return nil, errors.New("onnx: -1 stands for any string that the model does not have")
		case i < 0 || i >= int64(len(p.words.list)):
			return nil, fmt.Errorf("onnx: %d is no index of a string: the model has %d strings", i, len(p.words.list))
		default:
			out = append(out, p.words.list[i])
		}
	}
	return out, nil
}

// Strings returns the names of the inputs and outputs whose elements are strings in the model, and indices of strings here. Encode and
// Decode convert them.
func (p *Program) Strings() []string { return slices.Clone(p.strings) }

// Classes returns the labels of the columns of an output that is a map for each row in the model, which ZipMap makes: here it is the array
// of the maps' numbers. Labels that are strings are indices, see Decode. Of any other output the result is nil.
func (p *Program) Classes(output string) *graph.Tensor { return p.classes[output] }
