package formula

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Values are the results of parts of a formula before they become arrays. Also here: the names that have a value.

// kind is the kind of a value.
type kind uint8

const (
	none     kind = iota // None
	array                // a Node
	numeric              // a Python number
	sequence             // a tuple or list
	text                 // a string
	typename             // an element type
)

func (k kind) String() string {
	return [...]string{"None", "an array", "a number", "a tuple", "a string", "an element type"}[k]
}

// value is the result of an expression, with its offset in the text.
type value struct {
	kind  kind
	node  graph.Node
	num   number
	list  []value
	text  string
	dtype graph.DType
	at    int

	brackets bool // a sequence is a list, which as a subscript is an array
}

func arrayValue(x graph.Node, at int) value { return value{kind: array, node: x, at: at} }
func numberValue(n number, at int) value    { return value{kind: numeric, num: n, at: at} }

// constants maps names to values.
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

// typeNames maps the names of element types, NumPy's and Python's.
var typeNames = func() map[string]graph.DType {
	names := map[string]graph.DType{"bool_": graph.Bool, "int": graph.Int64, "float": graph.Float64}
	for _, dt := range ir.AllTypes.List() {
		names[dt.String()] = dt
	}
	return names
}()
