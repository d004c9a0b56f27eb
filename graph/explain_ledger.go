package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// What Explain says about the decisions of the compiler: what is fused, stored, copied and computed again, by and for
// which steps, and why. Equal decisions are one row.

// ledger writes the decisions: a row for all that is fused, then those that cost memory traffic, most bytes first.
func (e *explanation) ledger(b *bytes.Buffer) {
	var fused []ir.Op
	saved := 0
	for _, d := range e.pl.Ledger {
		if d.Kind == plan.Fused {
			fused = append(fused, d.Op)
			saved += d.Bytes
		}
	}
	if len(fused) > 0 {
		line(b, "fused", fmt.Sprintf("%s: %s not moved", opCounts(fused), byteText(saved)), ir.Pos{})
	}
	e.decisions(b, func(d *Decision) bool { return d.Kind != plan.Fused })
}

// alike are decisions for which Explain gives one reason.
type alike struct {
	Decision          // the first of them; Bytes are those of all
	where    []string // of each, if it is known: which step stores the value for which others
	pos      []ir.Pos // their lines, each once
	count    int      // how many there are
}

// decisions writes rows for the decisions that a caller wants.
func (e *explanation) decisions(b *bytes.Buffer, want func(d *Decision) bool) {
	type reason struct {
		kind plan.DecisionKind
		op   ir.Op
		why  string
	}
	var all []*alike
	of, met := map[reason]*alike{}, map[Decision]bool{}
	for i := range e.pl.Ledger {
		d := &e.pl.Ledger[i]
		if !want(d) || met[*d] {
			continue
		}
		met[*d] = true
		key := reason{d.Kind, d.Op, d.Reason}
		a := of[key]
		if a == nil {
			a = &alike{Decision: *d}
			a.Bytes = 0
			of[key], all = a, append(all, a)
		}
		a.count, a.Bytes = a.count+1, a.Bytes+d.Bytes
		if where := e.where(d); where != "" {
			a.where = append(a.where, where)
		}
		if d.Pos != (ir.Pos{}) && !slices.Contains(a.pos, d.Pos) {
			a.pos = append(a.pos, d.Pos)
		}
	}
	slices.SortStableFunc(all, func(x, y *alike) int { return cmp.Compare(y.Bytes, x.Bytes) })
	for _, a := range all {
		line(b, a.Kind.String(), a.text(), ir.Pos{})
	}
}

// text is the text of a row.
func (a *alike) text() string {
	text := a.Op.String()
	if a.count > 1 {
		text += " x" + strconv.Itoa(a.count)
	}
	if a.Bytes > 0 {
		text += ", " + byteText(a.Bytes)
	}
	switch n := len(a.where); {
	case n > 2:
		text += fmt.Sprintf(": %s; %s; and %d more", a.where[0], a.where[1], n-2)
	case n > 0:
		text += ": " + strings.Join(a.where, "; ")
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	const most = 3
	for i, pos := range a.pos {
		switch {
		case i == 0:
			text = fmt.Sprintf("%-60s // %s", text, pos)
		case i < most && pos.File == a.pos[0].File:
			text += ", " + strconv.Itoa(pos.Line)
		default:
			return text + fmt.Sprintf(" and %d more", len(a.pos)-i)
		}
	}
	return text
}

// where says which step stores the value of a decision, and which steps read it, or "" if no step does.
func (e *explanation) where(d *Decision) string {
	if d.Step < 0 {
		return ""
	}
	if d.Kind == plan.Copied && d.Op.IsProduct() {
		return e.packs(d.Step)
	}
	text := "step " + strconv.Itoa(d.Step)
	switch d.Kind {
	case plan.Fused, plan.Rewritten:
		return text
	case plan.Recomputed:
		return text + " computes it"
	case plan.Copied:
		if s := &e.pl.Steps[d.Step]; len(s.In) == 1 {
			text += " copies " + e.bufferName(s.In[0].Buffer, d.Step)
		}
	default:
		text += " stores it"
	}
	var readers []int
	for _, r := range e.uses.Readers(e.pl.Steps[d.Step].Out[d.Out].Buffer) {
		if r != d.Step && !slices.Contains(readers, r) {
			readers = append(readers, r)
		}
	}
	if len(readers) > 0 {
		text += " for " + e.stepNames(readers)
	}
	return text
}

// packs says which steps pack the right operand of a product, and whose it is.
func (e *explanation) packs(product int) string {
	text := "step " + strconv.Itoa(product) + " multiplies by it"
	for _, w := range e.uses.Writers(e.pl.Steps[product].In[1].Buffer) {
		if s := &e.pl.Steps[w]; len(s.In) == 1 && e.pl.Buffers[s.In[0].Buffer].Kind != plan.ConstBuffer { // else zeros fill the last panel
			return fmt.Sprintf("step %d packs %s for step %d", w, e.bufferName(s.In[0].Buffer, w), product)
		}
	}
	return text
}

// stepNames names steps with what they compute of the values that they read: "step 2 (add) and step 4 (max)".
func (e *explanation) stepNames(steps []int) string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = fmt.Sprintf("step %d (%s)", s, e.mainOp(s))
	}
	return fewOf(names)
}

// mainOp names what a step is for: its reduction, its op on lines or its last op.
func (e *explanation) mainOp(i int) string {
	s := &e.pl.Steps[i]
	if s.Contracts() {
		return "dot"
	}
	for _, o := range s.Out {
		if !o.Stored() {
			return o.Combine.String()
		}
	}
	if n := len(s.Body.Body); n > 0 {
		return s.Body.Body[n-1].Op.String()
	}
	return "copy"
}
