package formula

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Values: what a part of a formula gives before it is an array, and the names that have one.

// kind says what a value is.
type kind uint8

const (
	none     kind = iota // None
	array                // a Node
	numeric              // a number of Python's
	sequence             // a tuple or list
	text                 // a string
	typename             // an element type
)

func (k kind) String() string {
	return [...]string{"None", "an array", "a number", "a tuple", "a string", "an element type"}[k]
}

// value is what an expression gives, with the offset where the expression begins.
type value struct {
	kind  kind
	node  graph.Node
	num   number
	list  []value
	text  string
	dtype graph.DType
	at    int

	brackets bool // of a sequence: a list, which as a subscript is an array
}

func arrayValue(x graph.Node, at int) value { return value{kind: array, node: x, at: at} }
func numberValue(n number, at int) value    { return value{kind: numeric, num: n, at: at} }

// constants are the names that have a value.
var constants = map[string]value{
	"None":    {},
	"newaxis": {},
	"True":    numberValue(boolNumber(true), 0),
	"False":   numberValue(boolNumber(false), 0),
	"pi":      numberValue(floatNumber(pi), 0),
	"e":       numberValue(floatNumber(euler), 0),
	"inf":     numberValue(floatNumber(inf), 0),
	"nan":     numberValue(floatNumber(nan), 0),
}

// typeNames are the names of element types: those of this library, which are NumPy's, and
// Python's.
var typeNames = func() map[string]graph.DType {
	names := map[string]graph.DType{"bool_": graph.Bool, "int": graph.Int64, "float": graph.Float64}
	for _, dt := range ir.AllTypes.List() {
		names[dt.String()] = dt
	}
	return names
}()
