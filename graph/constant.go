package graph

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"weak"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
)

// Tensors that a program captures. Const never changes: what depends on constants alone
// is computed once, and the right matrices of products are packed once, for all runs and
// all sizes. Variable is read at each run.
//
// Compile computes what is no larger than the constants. The rest is part of plans: passes.Split says what, the first run that needs
// it computes it, and it lives as long as a plan that reads it.

// Const returns a tensor that the program holds on to and that never changes: its
// elements must stay as they are from Compile on, because the program keeps values
// that it has computed of them, such as the panels of a matrix. It may be a view of any
// layout. An op takes a *Tensor as its operand directly. Of a failed tensor the Node
// has the tensor's own error. A tensor whose elements change is a Variable.
func Const(t *Tensor) Node { return captured(t, true) }

// Variable returns a tensor that the program holds on to, whose elements are read when
// the program runs: writes between runs are seen. Dtype, shape and layout stay.
func Variable(t *Tensor) Node { return captured(t, false) }

func captured(t *Tensor, frozen bool) Node {
	if err := t.Err(); err != nil {
		if own := ownError(t); own != nil {
			return Node{&node{op: ir.OpParam, pos: own.Pos, err: own}}
		}
		return fail("%w", err)
	}
	return source(ir.Attr{Shape: ir.ShapeOf(t.Shape()...), DType: t.DType()}, &node{tensor: t, frozen: frozen})
}

// onceCost is from which cost on, in additions an element, a value that depends on
// constants alone is stored and not computed at each run.
const onceCost = 8

// constants finds what a graph computes of frozen params alone.
type constants struct {
	f      *ir.Func
	weight []int     // elements of the frozen params below a value; 0 if it depends on others
	cost   []float64 // of an element, from there
}

// findConstants looks at each value of f, whose positions are their IDs.
func findConstants(f *ir.Func, frozen []bool) *constants {
	c := &constants{f: f, weight: make([]int, len(f.Params)+len(f.Body)), cost: make([]float64, len(f.Params)+len(f.Body))}
	for i, p := range f.Params {
		if frozen[i] {
			c.weight[i] = max(1, elems(p))
		}
	}
	for _, v := range f.Body {
		at := f.Index(v)
		fixed, cost := isFixed(v), 0.0
		weight := 0
		for _, a := range v.Args {
			k := f.Index(a)
			fixed = fixed && (c.weight[k] > 0 || len(a.Args) == 0 && a.Op != ir.OpParam && isFixed(a))
			weight, cost = min(weight+c.weight[k], math.MaxInt/2), cost+c.cost[k]
		}
		if !fixed || weight == 0 {
			continue
		}
		if c.weight[at], c.cost[at] = weight, cost; v.Op.Accumulates() {
			c.cost[at] += onceCost
		} else if v.Op.IsElementwise() {
			c.cost[at] += v.Op.Info().Cost
		}
	}
	return c
}

// isFixed reports whether a value depends on no symbolic size by itself.
func isFixed(v *ir.Value) bool {
	_, shape := v.Type.Shape.Ints()
	_, begin := v.Attr.Begin.Int()
	_, count := v.Attr.Len.Int()
	return shape && begin && count
}

func elems(v *ir.Value) int {
	n, _ := v.Type.Shape.NumElems().Int()
	return n
}

// roots returns the values that are worth keeping: computed, dear, no larger than the
// constants below them, and read by what depends on other values.
func (c *constants) roots() []*ir.Value {
	var roots []*ir.Value
	needed := make([]bool, len(c.weight))
	for _, r := range c.f.Results {
		needed[c.f.Index(r)] = true
	}
	for _, v := range slices.Backward(c.f.Body) {
		at := c.f.Index(v)
		if c.weight[at] > 0 && (!needed[at] || v.Op.IsComputed() && c.cost[at] >= onceCost && elems(v) <= c.weight[at]) {
			if needed[at] {
				roots = append(roots, v)
			}
			continue
		}
		for _, a := range v.Args {
			needed[c.f.Index(a)] = true
		}
	}
	slices.Reverse(roots)
	return roots
}

// What is computed of constants when a program is compiled, and no context can stop, has at most mostOfNothing elements
// in all, and mostOfConstants more for each element of the constants. All else is computed by the first run that needs it.
const (
	mostOfNothing   = 1 << 16
	mostOfConstants = 64
)

// computesMuch reports whether values have more elements than that. A file of a few bytes may describe
// 2^40 of them.
func computesMuch(once *ir.Func, constants []*Tensor) bool {
	left := mostOfNothing
	for _, t := range constants {
		left += mostOfConstants * min(t.Size(), math.MaxInt/(2*mostOfConstants*len(constants)))
	}
	for _, v := range once.Body {
		n, known := v.Type.Shape.NumElems().Int()
		if !known || n > left {
			return true
		}
		left -= n
	}
	return false
}

// computeConstants replaces the values of the program's graph that depend on constants
// alone by constants.
func (p *Program) computeConstants() error {
	if !slices.Contains(p.options.Frozen, true) {
		return nil
	}
	p.fn.Number()
	c := findConstants(p.fn, p.options.Frozen)
	roots := c.roots()
	if len(roots) == 0 {
		return nil
	}
	once := p.fn.Clone()
	once.Number()
	once.Results = nil
	for _, r := range roots {
		once.Results = append(once.Results, once.Body[r.ID])
	}
	used := once.Keep()
	var ins []*Tensor
	for _, i := range used {
		ins = append(ins, p.captured[i-len(p.inputs)])
	}
	if computesMuch(once, ins) {
		return nil
	}
	p.once = once.Clone()
	options := p.options
	options.Frozen = nil
	pl, err := passes.Lower(once, options)
	if err != nil {
		return err
	}
	outs, err := p.runOnce(context.Background(), pl, ins)
	if err != nil {
		return err
	}
	stands := map[*ir.Value]*ir.Value{}
	for i, r := range roots {
		stands[r] = p.fn.Param(p.freeName("once"+strconv.Itoa(i)), r.Type, nil)
		stands[r].Pos = r.Pos
		p.onceTo = append(p.onceTo, stands[r].Name())
		p.captured, p.options.Frozen = append(p.captured, outs[i]), append(p.options.Frozen, true)
	}
	for _, v := range p.fn.Body {
		for i, a := range v.Args {
			if s := stands[a]; s != nil {
				v.Args[i] = s
			}
		}
	}
	for i, r := range p.fn.Results {
		if s := stands[r]; s != nil {
			p.fn.Results[i] = s
		}
	}
	p.fn.Sweep()
	return nil
}

// freeName returns a name that no param has.
func (p *Program) freeName(name string) string {
	for slices.ContainsFunc(p.fn.Params, func(v *ir.Value) bool { return v.Name() == name }) {
		name += "_"
	}
	return name
}

// runOnce runs a plan, outside of any run of the program.
func (p *Program) runOnce(ctx context.Context, pl *plan.Plan, ins []*Tensor) ([]*Tensor, error) {
	nests, err := p.schedule(pl, schedule.Options{})
	if err != nil {
		return nil, err
	}
	linked, err := p.executor.Link(nests)
	if err != nil {
		return nil, err
	}
	outs := make([]*Tensor, results(pl))
	return outs, linked.RunNew(ctx, outs, ins)
}

// results returns how many results a plan has.
func results(pl *plan.Plan) int {
	n := 0
	for i := range pl.Buffers {
		if pl.Buffers[i].Kind == plan.ResultBuffer {
			n++
		}
	}
	return n
}

// kept is what plans have made of constants: tensors that live as long as a plan that reads them.
type kept struct{ tensors []*Tensor }

// keeper finds what a plan for other sizes has made of constants, by the text of the plan that makes it.
type keeper struct {
	mu    sync.Mutex
	made  map[string]weak.Pointer[kept]
	sweep int // how many entries there are before those are dropped that nothing refers to
}

// keep gives a binding what it reads of constants, if it has not got it yet: made by a plan for other sizes, or computed now. Compile
// does not call it, so that example sizes cost nothing and a context can stop it.
func (p *Program) keep(ctx context.Context, b *binding) error {
	if b.once == nil || b.kept.Load() != nil {
		return nil
	}
	p.kept.mu.Lock()
	defer p.kept.mu.Unlock()
	if b.kept.Load() != nil {
		return nil
	}
	key := b.once.String()
	k := p.kept.made[key].Value()
	if k == nil {
		var ins []*Tensor
		for _, i := range b.onceOf {
			ins = append(ins, p.captured[i-len(p.inputs)])
		}
		outs, err := p.runOnce(ctx, b.once, ins)
		if err != nil {
			return err
		}
		k = &kept{outs}
		p.kept.add(key, k)
	}
	b.linked.Capture(slices.Concat(p.captured, k.tensors))
	b.kept.Store(k)
	return nil
}

// add notes what was made. Entries that nothing refers to are dropped each time that there are twice as many as were left.
func (k *keeper) add(key string, made *kept) {
	if k.made == nil {
		k.made = map[string]weak.Pointer[kept]{}
	}
	if len(k.made) >= k.sweep {
		maps.DeleteFunc(k.made, func(_ string, w weak.Pointer[kept]) bool { return w.Value() == nil })
		k.sweep = 2*len(k.made) + 16
	}
	k.made[key] = weak.Make(made)
}
