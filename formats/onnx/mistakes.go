package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// UnsupportedError lists all operators of a model that are not supported.
type UnsupportedError struct {
	Operators []Unsupported // sorted by name
}

// Unsupported is an operator that a model uses and the table lacks.
type Unsupported struct {
	Name  string // with its domain, unless that is the default one
	Count int    // number of nodes that use it
	Why   string
}

func (e *UnsupportedError) Error() string {
	var b strings.Builder
	b.WriteString("operators that are not supported, with the number of nodes:")
	for i, u := range e.Operators {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s (%d, %s)", u.Name, u.Count, u.Why)
	}
	return b.String()
}

// mistakes collects what is wrong with a model.
type mistakes struct {
	operators map[string]*Unsupported
	errs      []error
	more      int             // number of errors that are not kept
	poisoned  map[string]bool // values of nodes that failed
	nodes     int             // number of nodes built
}

// mostNodes limits the nodes of a model, where nodes of functions and loops count once per use: a small file could
// demand any number.
const mostNodes = 1 << 16

// namesOfNode is the number of inputs and outputs that take about as much time as a node.
const namesOfNode = 4

// enough counts a node with its inputs and outputs, and reports whether the model exceeds its limit of nodes.
func (m *mistakes) enough(names int) bool {
	before := m.nodes
	m.nodes += max(1, names/namesOfNode)
	if before < mostNodes && m.nodes >= mostNodes {
		m.add(fmt.Errorf("more than %d nodes, with those of functions and loops", mostNodes))
	}
	return m.nodes >= mostNodes
}

// room adds n to the number of nodes, and reports whether the sum is within the limit.
func (m *mistakes) room(n int) bool {
	m.nodes += n
	return m.nodes < mostNodes
}

func newMistakes() *mistakes {
	return &mistakes{operators: map[string]*Unsupported{}, poisoned: map[string]bool{}}
}

// mostErrors is the number of node errors that are kept.
const mostErrors = 20

func (m *mistakes) add(err error) {
	if len(m.errs) == mostErrors {
		m.more++
		return
	}
	m.errs = append(m.errs, err)
}

func (m *mistakes) unsupported(n *node, why string) {
	name := n.opName()
	u := m.operators[name]
	if u == nil {
		u = &Unsupported{Name: name, Why: why}
		m.operators[name] = u
	}
	u.Count++
	m.failed(n)
}

// failed records that a node's outputs will not exist, so that nodes that need them report no mistakes of their own.
func (m *mistakes) failed(n *node) {
	for _, name := range n.outputs {
		m.poisoned[name] = true
	}
}

func (m *mistakes) fails(name string) bool { return m.poisoned[name] }

func (m *mistakes) none() bool { return len(m.errs) == 0 && len(m.operators) == 0 }

// err returns all mistakes as one error, nil if there are none.
func (m *mistakes) err() error {
	var all []error
	if len(m.operators) > 0 {
		e := &UnsupportedError{}
		for _, u := range m.operators {
			e.Operators = append(e.Operators, *u)
		}
		slices.SortFunc(e.Operators, func(a, b Unsupported) int { return cmp.Compare(a.Name, b.Name) })
		all = append(all, e)
	}
	all = append(all, m.errs...)
	if m.more > 0 {
		all = append(all, fmt.Errorf("and %d more mistakes", m.more))
	}
	return errors.Join(all...)
}
