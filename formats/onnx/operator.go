package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// latest is the newest version of the default operator set in the table.
const latest = 28

// operator is a row of the table of operators: a definition, and the versions of the operator set in which it holds. An
// operator whose definition changed has several rows.
type operator struct {
	name         string // after its domain and a dot, unless that is the default one
	since, until int
	least, most  int       // number of inputs
	types        ir.DTypes // types of the first input
	attrs        attrs     // names and defaults; see unset
	build        func(c *call) []value
}

// many is the number of inputs of a variadic operator.
const many = 1 << 20

// unset is the default of an attribute without a default. Its type is the type of the attribute.
type unset struct{ as any }

// table holds the rows by name.
var table map[string][]*operator

func init() { // filled by init, because the rows of control flow look operators up
	table = map[string][]*operator{}
	for _, group := range [][]operator{
		elementwise, casts, activations, shapes, movements, reductions, normalizations, products, indexing, quantization, windowed, unpools, resizing, losses, determinants, edges, control, scans, attentions, linearAttentions, recurrents, signals, samplings, regions, sequences,
		scoringOps, encoders, featureOps,
		fusedOps, fusedNorms, quantizedOps, quantizedProducts, fusedAttentions,
	} {
		for i := range group {
			op := &group[i]
			table[op.name] = append(table[op.name], op)
		}
	}
	for _, versions := range table {
		slices.SortFunc(versions, func(a, b *operator) int { return cmp.Compare(a.since, b.since) })
	}
}

// with returns attributes, and more of them.
func with(some, more attrs) attrs {
	out := maps.Clone(some)
	maps.Copy(out, more)
	return out
}

// lookup returns the definition for a version of the operator set. If the set has no definition, why names the reason.
func lookup(n *node, opset int) (op *operator, why string) {
	if why, ok := refused[n.opName()]; ok {
		return nil, why
	}
	versions := table[n.opName()]
	if n.domain != "" { // these sets have one version
		if len(versions) == 0 {
			return nil, "an operator of the domain " + n.domain
		}
		return versions[0], ""
	}
	for _, op := range versions {
		if op.since <= opset && opset <= op.until {
			return op, ""
		}
	}
	switch {
	case opset > latest:
		return nil, fmt.Sprintf("operator set %d: up to %d are known", opset, latest)
	case len(versions) == 0:
		return nil, "not supported"
	}
	return nil, fmt.Sprintf("not in version %d of the operator set", opset)
}

// check returns an error for inputs and attributes that the operator does not have.
func (op *operator) check(n *node) error {
	if len(n.inputs) < op.least || len(n.inputs) > op.most {
		return fmt.Errorf("%d inputs: it takes %s", len(n.inputs), counts(op.least, op.most))
	}
	if !slices.ContainsFunc(n.outputs, func(name string) bool { return name != "" }) {
		return errors.New("no outputs: it has one or more")
	}
	for name, v := range n.attrs {
		if name == "consumed_inputs" { // an attribute of the first versions, about memory only
			continue
		}
		want, ok := op.attrs[name]
		if !ok {
			return fmt.Errorf("unknown attribute %q", name)
		}
		if u, ok := want.(unset); ok {
			want = u.as
		}
		if have, want := fmt.Sprintf("%T", v), fmt.Sprintf("%T", want); have != want {
			return fmt.Errorf("attribute %q is of type %s: it must be %s", name, have, want)
		}
		if d, ok := domains[name]; ok {
			if err := d.check(name, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func counts(least, most int) string {
	switch most {
	case least:
		return fmt.Sprint(least)
	case many:
		return fmt.Sprintf("%d or more", least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}
