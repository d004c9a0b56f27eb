package machine_test

import (
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// toy is a target with one instruction for each operation, for any Machine.
type toy struct{ m *machine.Machine }

var _ machine.Target = toy{}

// opcodes has an instruction for each operation of the tests, and those of toy.
var opcodes = map[string]*machine.Opcode{
	"add":       {Name: "add", Args: 2, Mem: 1, Commutes: true},
	"mul":       {Name: "mul", Args: 2, Mem: 1, Commutes: true},
	"sub":       {Name: "sub", Args: 2, Mem: 1},
	"neg":       {Name: "neg", Args: 1, Mem: 0},
	"min":       {Name: "min", Args: 2, Mem: 1},
	"max":       {Name: "max", Args: 2, Mem: 1},
	"lt":        {Name: "lt", Args: 2, Mem: 1},
	"ne":        {Name: "ne", Args: 2, Mem: 1},
	"fma":       {Name: "fma", Args: 3, Form: machine.FormFMA},
	"select":    {Name: "select", Args: 3, Mem: -1},
	"upper":     {Name: "upper", Args: 1, Mem: -1, Imm: true},
	"reload":    {Name: "reload", Args: 1, Mem: 0},
	"maskload":  {Name: "maskload", Args: 1, Mem: -1, Form: machine.FormMaskLoad},
	"maskstore": {Name: "maskstore", Args: 2, Mem: -1, Form: machine.FormMaskStore},
	"store":     {Name: "store", Args: 1, Mem: -1, Form: machine.FormStore},
}

func node(g *machine.Graph, name string, at machine.Place, args ...machine.Ref) machine.Ref {
	return g.Add(machine.Node{Kind: machine.KindOp, Op: opcodes[name], Place: at, Arg: machine.Args(args...)})
}

func (t toy) Machine() *machine.Machine { return t.m }

func (t toy) Load(c *machine.Copy, i int) machine.Value {
	in := c.Graph.Kernel.In[i]
	v := machine.Two(machine.None, machine.None)
	for p := range t.m.Parts(in.DType) {
		switch at := c.Where(i, in.DType, p); {
		case in.Splat:
			place := machine.Place{Operand: i, Size: in.DType.Size()}
			v.Part[p] = c.Graph.Add(machine.Node{Kind: machine.KindSplat, Place: place, Arg: machine.Args()})
		case c.Tail:
			v.Part[p] = node(c.Graph, "maskload", at, c.Mask(in.DType, p))
		default:
			v.Part[p] = c.Graph.Add(machine.Node{Kind: machine.KindLoad, Place: at, Arg: machine.Args()})
		}
	}
	return v
}

func (t toy) Store(c *machine.Copy, operand int, d ir.DType, v machine.Value) []machine.Ref {
	var out []machine.Ref
	for p := range t.m.Parts(d) {
		if at := c.Where(operand, d, p); c.Tail {
			out = append(out, node(c.Graph, "maskstore", at, c.Mask(d, p), v.Part[p]))
		} else {
			out = append(out, node(c.Graph, "store", at, t.Reload(c.Graph, v.Part[p])))
		}
	}
	return out
}

func (t toy) StoreFirst(g *machine.Graph, to machine.Place, _ ir.DType, v machine.Ref) machine.Ref {
	return g.Add(machine.Node{Kind: machine.KindOp, Op: machine.OpFirst, Place: to, Arg: machine.Args(v)})
}

func (t toy) Reload(g *machine.Graph, v machine.Ref) machine.Ref {
	if g.At(v).Kind == machine.KindLoad {
		return node(g, "reload", machine.Place{}, v)
	}
	return v
}

func (t toy) Apply(c *machine.Copy, in kernel.Inst, a [3]machine.Value) machine.Value {
	return c.Lift(in, in.DType, a, func(x [3]machine.Ref) machine.Ref { return t.Lane(c.Graph, in.Op, in.DType, x) })
}

func (t toy) Lane(g *machine.Graph, op ir.Op, _ ir.DType, x [3]machine.Ref) machine.Ref {
	return node(g, op.String(), machine.Place{}, x[:op.Info().Arity]...)
}

func (t toy) Select(g *machine.Graph, mask, y, z machine.Ref) machine.Ref {
	return node(g, "select", machine.Place{}, mask, y, z)
}

func (t toy) Upper(g *machine.Graph, v machine.Ref, bytes int) machine.Ref {
	return g.Add(machine.Node{Kind: machine.KindOp, Op: opcodes["upper"], Imm: uint8(bytes), Arg: machine.Args(v)})
}

// The tests have no comparisons but at the ends of rows, and no arg-reductions.
func (t toy) Steps(*machine.Graph, ir.DType, int) machine.Ref           { panic("unused") }
func (t toy) And(_ *machine.Graph, _, _ machine.Ref) machine.Ref        { panic("unused") }
func (t toy) Or(_ *machine.Graph, _, _ machine.Ref) machine.Ref         { panic("unused") }
func (t toy) Not(*machine.Graph, machine.Ref) machine.Ref               { panic("unused") }
func (t toy) WidenMask(*machine.Graph, machine.Ref, int) machine.Ref    { panic("unused") }
func (t toy) NarrowMask(_ *machine.Graph, _, _ machine.Ref) machine.Ref { panic("unused") }
func (t toy) Splat(*machine.Graph, machine.Ref, ir.DType) machine.Ref   { panic("unused") }
