package formula

import (
	"strings"

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

// codes are NumPy's short names of element types, which may follow a byte order, as in "<f4".
var codes = map[string]graph.DType{
	"?": graph.Bool, "b1": graph.Bool, "b": graph.Int8, "i1": graph.Int8, "h": graph.Int16, "i2": graph.Int16, "i": graph.Int32, "i4": graph.Int32,
	"l": graph.Int64, "q": graph.Int64, "i8": graph.Int64, "B": graph.Uint8, "u1": graph.Uint8, "H": graph.Uint16, "u2": graph.Uint16,
	"I": graph.Uint32, "u4": graph.Uint32, "L": graph.Uint64, "Q": graph.Uint64, "u8": graph.Uint64, "e": graph.Float16, "f2": graph.Float16,
	"f": graph.Float32, "f4": graph.Float32, "d": graph.Float64, "f8": graph.Float64,
}

// typeNamed returns the element type that a string names.
func typeNamed(word string) (graph.DType, bool) {
	if dt, ok := typeNames[word]; ok {
		return dt, true
	}
	dt, ok := codes[strings.TrimLeft(word, "<=|")]
	return dt, ok
}

// typeNames maps the names of element types, NumPy's and Python's.
var typeNames = func() map[string]graph.DType {
	names := map[string]graph.DType{
		"bool_": graph.Bool, "int": graph.Int64, "float": graph.Float64, "half": graph.Float16, "single": graph.Float32, "double": graph.Float64,
		"int_": graph.Int64, "uint": graph.Uint64, "byte": graph.Int8, "ubyte": graph.Uint8,
	}
	for _, dt := range ir.AllTypes.List() {
		names[dt.String()] = dt
	}
	return names
}()
