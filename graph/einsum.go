package graph

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// mostOperands limits the operands of Einsum: the time to find their order grows with the cube of their number.
const mostOperands = 128

// Einsum returns the sums of products that a formula describes. The formula labels each axis of each operand and of the
// result. Elements at equal indices of common labels are multiplied, and the products are summed over the labels that
// the result lacks.
//
//	Einsum("ij,jk->ik", x, y)     // x.MatMul(y)
//	Einsum("bhqd,bhkd->bhqk", q, k)
//	Einsum("ii->i", x)            // the diagonal; "ii" is the trace
//	Einsum("...ij->...ji", x)     // matrices transposed, with any batch axes
//	Einsum("batch row k, col k -> batch row col", x, w)
//
// A label is a letter, or a word if any term has a space between two labels; other spaces mean nothing. Axes of one
// label must have equal lengths, and 1 is no exception. An ellipsis stands for unlabelled axes, which broadcast.
// Without an arrow the result has the ellipsis, then the labels that occur once, in alphabetical order. A label twice
// in one term is the diagonal of those axes, a view.
//
// Operands are up to 128 Nodes, Tensors and numbers; numbers take the type of the first other operand. Operands are
// multiplied two at a time, in the order with the fewest multiplications, where a symbolic size counts as 1024. A label
// that only one operand has and the result lacks is summed over first. Types and numbers are as for MatMul; a product
// without a sum is rounded once.
func Einsum(formula string, operands ...any) Node { return einsum(ir.OpDot, formula, operands...) }

// einsum is Einsum, for two operands of any product.
func einsum(op ir.Op, formula string, operands ...any) Node {
	terms, out, err := parseEinsum(formula)
	if err != nil {
		return fail("%q: %w", formula, err)
	}
	if len(terms) != len(operands) {
		return fail("%q has %d terms, and there are %d operands: give one for each", formula, len(terms), len(operands))
	}
	if len(operands) > mostOperands {
		return fail("%d operands: it takes up to %d: multiply some of them first", len(operands), mostOperands)
	}
	xs, bad := factors(operands...)
	if xs == nil {
		return bad
	}
	c := contraction{call: fmt.Sprintf("%q of %s", formula, shapesText(xs)), op: op}
	batch := 0
	for i, labels := range terms {
		open, more := xs[i].Rank()-len(labels), slices.Contains(labels, ellipsis)
		if more {
			open++
		}
		if open < 0 || open > 0 && !more {
			return fail("%q: term %d has %d labels, its operand the %d axes of %s: words have spaces between them, and ... stands for more axes", formula, i+1, xs[i].Rank()-open, xs[i].Rank(), xs[i].n.text())
		}
		c.terms = append(c.terms, term{xs[i], filled(labels, open)})
		batch = max(batch, open)
	}
	if batch > 0 && !slices.Contains(out, ellipsis) {
		return fail("%s: the ellipsis stands for %d axes, and the result has none: write ... there too", c.call, batch)
	}
	c.out = filled(out, batch)
	return c.node()
}

// filled returns labels with the ellipsis replaced by n broadcast labels.
func filled(labels []string, n int) []string {
	if k := slices.Index(labels, ellipsis); k >= 0 {
		return slices.Concat(labels[:k], broadcasting(n), labels[k+1:])
	}
	return labels
}

// parseEinsum returns the labels of each operand and of the result; an ellipsis is the label ellipsis.
func parseEinsum(formula string) (terms [][]string, out []string, err error) {
	left, right, explicit := strings.Cut(formula, "->")
	texts := append(strings.Split(left, ","), right)
	words := slices.ContainsFunc(texts, spaced)
	count := map[string]int{}
	for _, text := range texts {
		labels, err := labelsOf(text, words)
		if err != nil {
			return nil, nil, err
		}
		terms = append(terms, labels)
	}
	last := len(terms) - 1
	terms, out = terms[:last], terms[last]
	for _, labels := range terms {
		for _, label := range labels {
			count[label]++
		}
	}
	if !explicit {
		return terms, implied(count), nil
	}
	for k, label := range out {
		switch {
		case slices.Index(out, label) < k:
			return nil, nil, fmt.Errorf("the result has the label %s twice", label)
		case count[label] == 0 && label != ellipsis:
			return nil, nil, fmt.Errorf("no operand has the label %s of the result", label)
		}
	}
	return terms, out, nil
}

// implied returns the labels of the result of a formula without an arrow.
func implied(count map[string]int) (out []string) {
	for label, n := range count {
		if n == 1 || label == ellipsis {
			out = append(out, label)
		}
	}
	sort.Strings(out) // . sorts before all letters
	return out
}

// spaced reports whether a term has a space between two labels.
func spaced(text string) bool {
	for part := range strings.SplitSeq(text, ellipsis) {
		if len(strings.Fields(part)) > 1 {
			return true
		}
	}
	return false
}

// labelsOf returns the labels of a term: words or letters.
func labelsOf(text string, words bool) (labels []string, err error) {
	before, after, more := strings.Cut(text, ellipsis)
	for i, part := range []string{before, after} {
		if i == 1 && more {
			labels = append(labels, ellipsis)
		}
		for _, field := range strings.Fields(part) {
			if words {
				labels = append(labels, field)
				continue
			}
			labels = append(labels, strings.Split(field, "")...)
		}
	}
	for _, label := range labels {
		switch {
		case label == ellipsis:
		case label == "." || strings.Contains(label, ellipsis):
			return nil, errors.New("a term may have one ellipsis, of three dots")
		case !words && !isLetter(label):
			return nil, fmt.Errorf("%q is not a label: use letters, or words with spaces between them", label)
		case !ir.IsName(label):
			return nil, fmt.Errorf("%q is not a label: use letters, digits and _", label)
		}
	}
	return labels, nil
}

func isLetter(label string) bool {
	return len(label) == 1 && ir.IsName(label) && label != "_"
}
