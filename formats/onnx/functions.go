package onnx

import "fmt"

// function reads a FunctionProto into a model.
func (d *decoder) function(f field, m *model) error {
	fn := &function{defaults: attrs{}, body: &subgraph{}}
	var name, domain, overload string
	err := read(f, map[int]func(field) error{
		1: func(f field) (err error) { name, err = f.text(); return },
		4: func(f field) error {
			s, err := f.text()
			fn.inputs = append(fn.inputs, s)
			return err
		},
		5: func(f field) error {
			s, err := f.text()
			fn.body.outputs = append(fn.body.outputs, s)
			return err
		},
		7: func(f field) error {
			n, err := d.node(f, 0)
			fn.body.add(n)
			return err
		},
		9:  func(f field) error { return d.opset(f, &fn.opset) },
		10: func(f field) (err error) { domain, err = f.text(); return },
		11: func(f field) error {
			name, v, err := d.attribute(f, 0)
			fn.defaults[name] = v
			return err
		},
		13: func(f field) (err error) { overload, err = f.text(); return },
	})
	if err != nil {
		return fmt.Errorf("function %s: %w", name, err)
	}
	if isDefault(domain) {
		domain = ""
	}
	m.functions[key(domain, name, overload)] = fn
	return nil
}

// call builds the body of a function for a node that calls it. It returns false if an input of the
// node was not made.
func (b *builder) call(fn *function, n *node) bool {
	inner := &builder{
		model: b.model, opset: fn.opset, values: map[string]value{}, errs: b.errs, depth: b.depth + 1, stages: b.stages,
		questions: b.questions, waiting: map[string]bool{}, path: b.path + "/" + n.label(),
	}
	if inner.depth > deepest {
		b.errs.add(fmt.Errorf("%s: more than %d functions inside each other", n.where(), deepest))
		return false
	}
	for i, name := range fn.inputs {
		inner.values[name] = value{}
		if i >= len(n.inputs) || n.inputs[i] == "" {
			continue
		}
		v, ok := b.value(n.inputs[i])
		if !ok && b.waits(n.inputs[i]) {
			b.postpone(n)
			return true
		}
		if !ok {
			return false
		}
		inner.values[name] = v
	}
	for _, of := range fn.body.nodes {
		inner.add(of.withAttrs(fn.defaults, n.attrs))
	}
	for i, name := range n.outputs {
		if i >= len(fn.body.outputs) {
			b.errs.add(fmt.Errorf("%s: %d outputs: the function has %d", n.where(), len(n.outputs), len(fn.body.outputs)))
			return false
		}
		v, ok := inner.values[fn.body.outputs[i]]
		if !ok && inner.waiting[fn.body.outputs[i]] {
			b.postpone(n)
			return true
		}
		if !ok {
			return false
		}
		if name != "" {
			b.values[name] = v
		}
	}
	return true
}

// withAttrs returns a node with references replaced by the attributes of the calling node. A reference to an attribute
// that is not given is dropped.
func (n *node) withAttrs(defaults, given attrs) *node {
	out := *n
	out.attrs = attrs{}
	for name, v := range n.attrs {
		if ref, ok := v.(reference); ok {
			if v, ok = given[string(ref)]; !ok {
				if v, ok = defaults[string(ref)]; !ok {
					continue
				}
			}
		}
		out.attrs[name] = v
	}
	return &out
}
