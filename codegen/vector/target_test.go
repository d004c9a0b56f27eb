package vector_test

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// toy is a target with one instruction for each operation, for any Machine.
type toy struct{ m *vector.Machine }

var _ vector.Target = toy{}

// opcodes has an instruction for each operation of the tests, and those of toy.
var opcodes = map[string]*vector.Opcode{
	"add":       {Name: "add", Args: 2, Mem: 1, Commutes: true},
	"mul":       {Name: "mul", Args: 2, Mem: 1, Commutes: true},
	"sub":       {Name: "sub", Args: 2, Mem: -1, Form: vector.FormOver, Overs: 0b10},
	"neg":       {Name: "neg", Args: 1, Mem: 0},
	"min":       {Name: "min", Args: 2, Mem: 1},
	"max":       {Name: "max", Args: 2, Mem: 1},
	"lt":        {Name: "lt", Args: 2, Mem: 1},
	"ne":        {Name: "ne", Args: 2, Mem: 1},
	"fma":       {Name: "fma", Args: 3, Form: vector.FormFMA},
	"select":    {Name: "select", Args: 3, Mem: -1, Form: vector.FormOver, Overs: 0b111},
	"upper":     {Name: "upper", Args: 1, Mem: -1, Imm: true},
	"reload":    {Name: "reload", Args: 1, Mem: 0},
	"maskload":  {Name: "maskload", Args: 1, Mem: -1, Form: vector.FormMaskLoad},
	"maskstore": {Name: "maskstore", Args: 2, Mem: -1, Form: vector.FormMaskStore},
	"store":     {Name: "store", Args: 1, Mem: -1, Form: vector.FormStore},
}

func node(g *vector.Graph, name string, at vector.Place, args ...vector.Ref) vector.Ref {
	return g.Add(vector.Node{Kind: vector.KindOp, Op: opcodes[name], Place: at, Arg: vector.Args(args...)})
}

func (t toy) Machine() *vector.Machine { return t.m }

func (t toy) Load(c *vector.Copy, i int) vector.Value {
	in := c.Graph.Kernel.In[i]
	v := vector.Two(vector.None, vector.None)
	for p := range t.m.Parts(in.DType) {
		switch at := c.Where(i, in.DType, p); {
		case in.Splat:
			place := vector.PlaceOf(i, in.DType.Size(), 0, 0)
			v.Part[p] = c.Graph.Add(vector.Node{Kind: vector.KindSplat, Place: place, Arg: vector.Args()})
		case c.Tail:
			v.Part[p] = node(c.Graph, "maskload", at, c.Mask(in.DType, p))
		default:
			v.Part[p] = c.Graph.Add(vector.Node{Kind: vector.KindLoad, Place: at, Arg: vector.Args()})
		}
	}
	return v
}

func (t toy) Store(c *vector.Copy, operand int, d ir.DType, v vector.Value) []vector.Ref {
	var out []vector.Ref
	for p := range t.m.Parts(d) {
		if at := c.Where(operand, d, p); c.Tail {
			out = append(out, node(c.Graph, "maskstore", at, c.Mask(d, p), v.Part[p]))
		} else {
			out = append(out, node(c.Graph, "store", at, t.Reload(c.Graph, v.Part[p])))
		}
	}
	return out
}

func (t toy) StoreFirst(g *vector.Graph, to vector.Place, _ ir.DType, v vector.Ref) vector.Ref {
	return g.Add(vector.Node{Kind: vector.KindOp, Op: vector.OpFirst, Place: to, Arg: vector.Args(v)})
}

func (t toy) Reload(g *vector.Graph, v vector.Ref) vector.Ref {
	if g.At(v).Kind == vector.KindLoad {
		return node(g, "reload", vector.Place{}, v)
	}
	return v
}

func (t toy) Apply(c *vector.Copy, in kernel.Inst, a [3]vector.Value) vector.Value {
	return c.Lift(in, in.DType, a, func(x [3]vector.Ref) vector.Ref { return t.Lane(c.Graph, in.Op, in.DType, x) })
}

func (t toy) Lane(g *vector.Graph, op ir.Op, _ ir.DType, x [3]vector.Ref) vector.Ref {
	return node(g, op.String(), vector.Place{}, x[:op.Info().Arity]...)
}

func (t toy) Select(g *vector.Graph, mask, y, z vector.Ref) vector.Ref {
	return node(g, "select", vector.Place{}, mask, y, z)
}

func (t toy) Upper(g *vector.Graph, v vector.Ref, bytes int) vector.Ref {
	return g.Add(vector.Node{Kind: vector.KindOp, Op: opcodes["upper"], Imm: uint8(bytes), Arg: vector.Args(v)})
}

// The tests have no comparisons but at the ends of rows, and no arg-reductions.
func (t toy) Steps(*vector.Graph, ir.DType, int) vector.Ref          { panic("unused") }
func (t toy) And(_ *vector.Graph, _, _ vector.Ref) vector.Ref        { panic("unused") }
func (t toy) Or(_ *vector.Graph, _, _ vector.Ref) vector.Ref         { panic("unused") }
func (t toy) Not(*vector.Graph, vector.Ref) vector.Ref               { panic("unused") }
func (t toy) WidenMask(*vector.Graph, vector.Ref, int) vector.Ref    { panic("unused") }
func (t toy) NarrowMask(_ *vector.Graph, _, _ vector.Ref) vector.Ref { panic("unused") }
func (t toy) Splat(*vector.Graph, vector.Ref, ir.DType) vector.Ref   { panic("unused") }
