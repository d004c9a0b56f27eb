package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/internal/page"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Pictures of a program: of its values, and of its steps.

// valuePicture draws the graph as the user built it. A value has the colour of the step that computes it. An edge
// between two steps says how many bytes are stored, and why.
func (x *inspection) valuePicture() *page.Picture {
	pic := &page.Picture{Name: x.p.name}
	for i := range x.ofStep {
		pic.Groups = append(pic.Groups, "step "+strconv.Itoa(i))
	}
	at, lines := map[*ir.Value]int{}, x.lines()
	x.readers = make([][]int, len(x.values))
	for i, v := range x.values {
		at[v] = i
		for _, a := range v.Args {
			x.readers[at[a]] = append(x.readers[at[a]], i)
		}
	}
	for i, v := range x.values {
		pic.Nodes = append(pic.Nodes, x.valueNode(i, v, lines[i]))
		for _, a := range v.Args {
			pic.Edges = append(pic.Edges, x.valueEdge(at[a], i))
		}
	}
	for i, r := range x.results() {
		out := x.p.outputs[i]
		pic.Edges = append(pic.Edges, page.Edge{From: at[r], To: len(pic.Nodes)})
		pic.Nodes = append(pic.Nodes, page.Node{Title: out.Name, Lines: []string{r.Type.String()}, Tip: out.String(), Origin: []int{at[r]}, Group: -1, Kind: page.Result})
	}
	return pic
}

// valueNode draws a value.
func (x *inspection) valueNode(i int, v *ir.Value, line string) page.Node {
	n := page.Node{Title: v.Op.String(), Lines: []string{v.Type.String()}, Tip: line, Origin: []int{i}, Group: -1}
	switch {
	case v.Op == ir.OpParam:
		n.Title, n.Kind = v.Name(), page.Given
	case v.Op == ir.OpConst:
		n.Title, n.Lines, n.Kind = ir.ConstText(v.Type.DType, v.Attr.Bits), nil, page.Given
	case v.Op == ir.OpExtent:
		n.Title, n.Lines, n.Kind = v.Attr.Begin.String(), nil, page.Given
	case v.Op.IsView():
		n.Kind = page.View
	}
	if site := x.sites[i].String(); site != "" && n.Kind != page.Given {
		n.Lines = append(n.Lines, site)
	}
	if len(x.steps[i]) > 0 {
		n.Group, n.Kind = x.steps[i][0], page.Computed
	}
	return n
}

// joined reports whether the edge from a value to a reader stays within a step: one step computes both or, if the
// reader is a view, everything that reads the view. Other values without a step are not computed at run time.
func (x *inspection) joined(from, to int) bool {
	if len(x.steps[to]) > 0 {
		if len(x.steps[from]) < len(x.steps[to]) {
			from, to = to, from
		}
		return slices.ContainsFunc(x.steps[to], func(s int) bool { return x.computes[[2]int{from, s}] })
	}
	return !x.values[to].Op.IsView() || !slices.ContainsFunc(x.readers[to], func(r int) bool { return !x.joined(from, r) })
}

// valueEdge draws the use of one value by another.
func (x *inspection) valueEdge(from, to int) page.Edge {
	e := page.Edge{From: from, To: to}
	if x.joined(from, to) {
		return e
	}
	why := x.about[from]
	if op := x.values[to].Op; op.IsView() || op == ir.OpCopy { // the copy is a step
		copies := x.about[to]
		why.stored, why.copied = cmp.Or(why.stored, copies.stored), cmp.Or(copies.copied, why.copied)
	}
	if d := cmp.Or(why.stored, why.copied); d != nil { // the copy may be that of an operand
		e.Label, e.Why = byteText(d.Bytes)+" "+d.Kind.String(), d.Reason
	} else if d := why.again; d != nil {
		e.Label, e.Why = d.Kind.String(), d.Reason
	}
	if v := x.values[from]; e.Why == "" && len(x.steps[from]) > 0 {
		size, _ := v.Type.Shape.NumElems().Int()
		e.Label, e.Why = byteText(size*v.Type.DType.Size()), complete
		if v.Op.IsElementwise() && why.result {
			e.Why = "it is a result, which another loop reads from memory"
		}
	}
	return e
}

// memoryOf holds the decisions about a value that edges of the picture show: why it is in memory between two steps, or
// computed again.
type memoryOf struct {
	stored *Decision // the last decision other than a copy
	copied *Decision // the first copy
	again  *Decision // the first recomputation
	result bool      // a step that computes it stores a result
}

// add records a decision.
func (m *memoryOf) add(d Decision) {
	switch d.Kind {
	case plan.Materialized, plan.Staged:
		m.stored = &d
	case plan.Copied:
		m.copied = cmp.Or(m.copied, &d)
	case plan.Recomputed:
		m.again = cmp.Or(m.again, &d)
	}
}

// complete is the reason on an edge if the ledger has none: the value, for example of a reduction, must be complete
// before its reader starts.
const complete = "all of it is computed before any of it is read"

// results returns which values are outputs.
func (x *inspection) results() []*ir.Value {
	index := map[*ir.Value]int{}
	for i, v := range x.built.Params {
		index[v] = i
	}
	for i, v := range x.built.Body {
		index[v] = len(x.built.Params) + i
	}
	list := make([]*ir.Value, len(x.built.Results))
	for i, r := range x.built.Results {
		list[i] = x.values[index[r]]
	}
	return list
}

// stepPicture draws steps and the buffers between them: inputs and outputs are boxes, temporaries are edges.
func (x *inspection) stepPicture() *page.Picture {
	pic := &page.Picture{Name: x.p.name}
	if x.plan == nil {
		return pic
	}
	first := len(x.plan.Buffers) // the node of step 0, after the nodes of buffers
	for i := range x.plan.Buffers {
		pic.Nodes = append(pic.Nodes, x.bufferNode(i))
	}
	writers, why := make([][]int, len(x.plan.Buffers)), x.whyStored()
	for i := range x.plan.Steps {
		s := &x.plan.Steps[i]
		pic.Groups = append(pic.Groups, "step "+strconv.Itoa(i))
		read, written := x.plan.Traffic(i)
		pic.Nodes = append(pic.Nodes, page.Node{
			Title: "step " + strconv.Itoa(i), Tip: s.Body.String(), Origin: x.ofStep[i], Group: i,
			Lines: []string{x.p.stepText(x.plan, i), byteText(read) + " read, " + byteText(written) + " stored"},
		})
		x.stepEdges(pic, s, first+i, writers, why)
		for _, o := range s.Out {
			writers[o.Buffer] = append(writers[o.Buffer], first+i)
		}
	}
	return keepUsed(pic)
}

// stepEdges draws the edges of a step. writers has the nodes of the earlier steps that write each buffer, why is the
// result of whyStored.
func (x *inspection) stepEdges(pic *page.Picture, s *plan.Step, node int, writers [][]int, why []string) {
	seen := map[int]bool{}
	for _, a := range s.In {
		b := &x.plan.Buffers[a.Buffer]
		if seen[a.Buffer] || b.Kind == plan.ConstBuffer || b.Kind == plan.IotaBuffer {
			continue
		}
		if seen[a.Buffer] = true; b.Kind == plan.ParamBuffer {
			pic.Edges = append(pic.Edges, page.Edge{From: a.Buffer, To: node})
		}
		for _, w := range writers[a.Buffer] {
			e := page.Edge{From: w, To: node, Label: byteText(b.Size() * b.DType.Size())}
			if b.Kind == plan.ScratchBuffer {
				e.Label += " " + plan.Staged.String()
			}
			e.Why = why[w-len(x.plan.Buffers)]
			pic.Edges = append(pic.Edges, e)
		}
	}
	for _, o := range s.Out {
		if x.plan.Buffers[o.Buffer].Kind == plan.ResultBuffer {
			pic.Edges = append(pic.Edges, page.Edge{From: node, To: o.Buffer})
		}
	}
}

// whyStored returns for each step the reasons why its results are stored.
func (x *inspection) whyStored() []string {
	why := make([]string, len(x.plan.Steps))
	for _, d := range x.plan.Ledger {
		stores := d.Kind == plan.Materialized || d.Kind == plan.Copied || d.Kind == plan.Staged
		if stores && d.Step >= 0 && d.Step < len(why) {
			why[d.Step] += d.Op.String() + ": " + d.Reason + "\n"
		}
	}
	for i := range why {
		why[i] = cmp.Or(why[i], complete)
	}
	return why
}

// bufferNode draws an input or an output.
func (x *inspection) bufferNode(i int) page.Node {
	b := &x.plan.Buffers[i]
	n := page.Node{Title: b.Name, Lines: []string{ir.Type{DType: b.DType, Shape: ir.ShapeOf(b.Shape...)}.String()}, Group: -1, Kind: page.Given}
	switch b.Kind {
	case plan.ParamBuffer:
		if b.Index < len(x.built.Params) {
			n.Origin = []int{b.Index}
		} else {
			n.Title = "kept" + strconv.Itoa(b.Index-len(x.built.Params))
		}
	case plan.ResultBuffer:
		n.Title, n.Kind = x.p.outputs[b.Index].Name, page.Result
	}
	n.Tip = fmt.Sprintf("%s, %s", n.Lines[0], byteText(b.Size()*b.DType.Size()))
	return n
}

// keepUsed removes boxes without edges, except steps, and puts results after the steps that compute them.
func keepUsed(pic *page.Picture) *page.Picture {
	used := make([]bool, len(pic.Nodes))
	for _, e := range pic.Edges {
		used[e.From], used[e.To] = true, true
	}
	out, at := &page.Picture{Name: pic.Name, Groups: pic.Groups}, make([]int, len(pic.Nodes))
	for _, results := range []bool{false, true} {
		for i, n := range pic.Nodes {
			if (used[i] || n.Group >= 0) && (n.Kind == page.Result) == results {
				at[i] = len(out.Nodes)
				out.Nodes = append(out.Nodes, n)
			}
		}
	}
	for _, e := range pic.Edges {
		e.From, e.To = at[e.From], at[e.To]
		out.Edges = append(out.Edges, e)
	}
	return out
}
