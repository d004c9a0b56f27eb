package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// The used part of the schema of .onnx files: ModelProto and the messages in it. Field numbers are those of onnx.proto.

// decoder reads the messages of one model.
type decoder struct {
	external externalFiles
	words    *vocabulary
}

// model reads a ModelProto.
func (d *decoder) model(data []byte) (*model, error) {
	m := &model{functions: map[string]*function{}, words: d.words}
	for f, err := range fields(data) {
		if err == nil {
			switch f.num {
			case 7:
				m.body, err = d.subgraph(f, 0)
			case 8:
				err = d.opset(f, &m.opset)
			case 25:
				err = d.function(f, m)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if m.body == nil {
		return nil, fmt.Errorf("%w of this schema: it has no graph", errWire)
	}
	return m, nil
}

// opset reads an OperatorSetIdProto, and sets version if it is of the default domain.
func (d *decoder) opset(f field, version *int) error {
	domain, n := "", 0
	err := read(f, map[int]func(field) error{
		1: func(f field) (err error) { domain, err = f.text(); return },
		2: func(f field) (err error) { n, err = f.int(); return },
	})
	if err == nil && isDefault(domain) {
		*version = n
	}
	return err
}

func isDefault(domain string) bool { return domain == "" || domain == "ai.onnx" }

// read calls for each field of message f the function of its number. Fields without a function are skipped.
func read(f field, on map[int]func(field) error) error {
	data, err := f.bytes()
	if err != nil {
		return err
	}
	for f, err := range fields(data) {
		if err != nil {
			return err
		}
		if use := on[f.num]; use != nil {
			if err := use(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// deepest limits the nesting of graphs.
const deepest = 32

// subgraph reads a GraphProto.
func (d *decoder) subgraph(f field, depth int) (*subgraph, error) {
	if depth > deepest {
		return nil, fmt.Errorf("more than %d graphs inside each other", deepest)
	}
	g := &subgraph{constants: map[string]*graph.Tensor{}}
	err := read(f, map[int]func(field) error{
		1: func(f field) error {
			n, err := d.node(f, depth)
			g.add(n)
			return err
		},
		5: func(f field) error {
			name, t, err := d.tensor(f)
			if _, twice := g.constants[name]; twice && err == nil {
				err = fmt.Errorf("initializer %q is there twice", name)
			}
			g.constants[name] = t
			return err
		},
		11: func(f field) error {
			p, err := d.port(f)
			g.inputs = append(g.inputs, p)
			return err
		},
		12: func(f field) error {
			p, err := d.port(f)
			if g.outputs = append(g.outputs, p.name); p.text {
				g.texts = append(g.texts, p.name)
			}
			return err
		},
		15: func(field) error { return fmt.Errorf("sparse initializers are not supported") },
	})
	g.inputs = slices.DeleteFunc(g.inputs, func(p port) bool { return g.constants[p.name] != nil })
	return g, err
}

// node reads a NodeProto.
func (d *decoder) node(f field, depth int) (*node, error) {
	n := &node{attrs: attrs{}}
	texts := func(to *[]string) func(field) error {
		return func(f field) error {
			s, err := f.text()
			*to = append(*to, s)
			return err
		}
	}
	text := func(to *string) func(field) error {
		return func(f field) (err error) { *to, err = f.text(); return }
	}
	err := read(f, map[int]func(field) error{
		1: texts(&n.inputs), 2: texts(&n.outputs), 3: text(&n.name), 4: text(&n.op), 7: text(&n.domain), 8: text(&n.overload),
		5: func(f field) error {
			name, v, err := d.attribute(f, depth)
			if err != nil {
				return fmt.Errorf("attribute %q: %w", name, err)
			}
			n.attrs[name] = v
			return nil
		},
	})
	if isDefault(n.domain) {
		n.domain = ""
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", n.where(), err)
	}
	return n, err
}

// port reads a ValueInfoProto. Its type may be missing, as in subgraphs.
func (d *decoder) port(f field) (p port, err error) {
	dims := func(f field) error { // TensorShapeProto
		return read(f, map[int]func(field) error{1: func(f field) error {
			var dim any = ""
			err := read(f, map[int]func(field) error{
				1: func(f field) (err error) { dim, err = f.int(); return },
				2: func(f field) (err error) { dim, err = f.text(); return },
			})
			p.dims = append(p.dims, dim)
			return err
		}})
	}
	tensor := func(f field) error { // TypeProto.Tensor
		return read(f, map[int]func(field) error{
			1: func(f field) (err error) { p.code, err = f.int(); return },
			2: func(f field) error { p.shaped = true; return dims(f) },
		})
	}
	kind := func(f field) error { return read(f, map[int]func(field) error{1: tensor}) } // TypeProto
	optional := func(f field) error { return read(f, map[int]func(field) error{1: kind}) }
	err = read(f, map[int]func(field) error{
		1: func(f field) (err error) { p.name, err = f.text(); return },
		2: func(f field) error { return read(f, map[int]func(field) error{1: tensor, 9: optional}) },
	})
	if dt, ok := typeCodes[p.code]; ok {
		p.dtype = dt
	}
	if p.code == stringCode {
		p.dtype, p.text = graph.Int64, true
	}
	return p, err
}

// attribute reads an AttributeProto. Its value has the type that it names.
func (d *decoder) attribute(f field, depth int) (name string, value any, err error) {
	var kind int
	var number uint64
	var list []uint64
	var lists [][]byte
	var message field
	var ref string
	put := func(f field) error { message = f; return nil }
	err = read(f, map[int]func(field) error{
		1:  func(f field) (err error) { name, err = f.text(); return },
		2:  func(f field) error { number = f.n; return nil },
		3:  func(f field) error { number = f.n; return nil },
		4:  put,
		5:  put,
		6:  put,
		7:  func(f field) (err error) { list, err = f.fixed(list, fixed32); return },
		8:  func(f field) (err error) { list, err = f.varints(list); return },
		9:  func(f field) error { lists = append(lists, f.data); return nil },
		20: func(f field) (err error) { kind, err = f.int(); return },
		21: func(f field) (err error) { ref, err = f.text(); return },
	})
	if err != nil {
		return name, nil, err
	}
	if ref != "" {
		return name, reference(ref), nil
	}
	switch kind {
	case 1:
		value = float64(math.Float32frombits(uint32(number)))
	case 2:
		value = int(int64(number))
	case 3:
		if value = string(message.data); name == "default_string" || name == "value_string" {
			d.words.add(string(message.data))
		}
	case 4:
		_, value, err = d.tensor(message)
	case 5:
		value, err = d.subgraph(message, depth+1)
	case 6:
		value = mapped(list, func(n uint64) float64 { return float64(math.Float32frombits(uint32(n))) })
	case 7:
		value = mapped(list, func(n uint64) int { return int(int64(n)) })
	case 8:
		list := mapped(lists, func(b []byte) string { return string(b) })
		d.words.add(list...)
		value = list
	case 13:
		value = elementType{}
	default:
		err = fmt.Errorf("values of type %d are not supported", kind)
	}
	return name, value, err
}

func mapped[From, To any](in []From, f func(From) To) []To {
	out := make([]To, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}
