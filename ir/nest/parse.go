package nest

import (
	"math"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Read reads a program.
func Read(s *ir.Scanner) *Program { return (&scanner{Scanner: s}).program() }

// Parse reads the text of a program, as String writes it. It checks each line; Verify checks the program as a whole. Errors are
// *ir.ParseError.
func Parse(text string) (*Program, error) {
	s := ir.NewScanner(text)
	p := Read(s)
	if err := s.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// maxDepth is the greatest number of nests and loops around a call.
const maxDepth = layout.MaxRank

// scanner reads the text of programs.
type scanner struct {
	*ir.Scanner
	depth             int // of nests
	now, loops, calls int // the task, and how many loops and calls of it are read
}

func (s *scanner) program() *Program {
	s.EmptyLines()
	s.Want("nest")
	p := &Program{Name: s.Name("the name of the program")}
	s.Mark("arena 0", s.Blanks())
	p.Arena = s.integer("arena")
	s.Want("{")
	s.EndLine()
	p.Buffers = plan.ScanBuffers(s.Scanner)
	for at := s.Blanks(); s.Bad == nil && s.Accept("task"); at = s.Blanks() {
		s.now, s.loops, s.calls = len(p.Tasks), 0, 0
		s.Mark(place{task: s.now}, at)
		s.number(len(p.Tasks))
		p.Tasks = append(p.Tasks, s.task())
	}
	p.Ledger = plan.ScanLedger(s.Scanner)
	s.Want("}")
	s.End()
	return p
}

// field reads name=.
func (s *scanner) field(name string) {
	s.Want(name)
	s.Want("=")
}

func (s *scanner) integer(name string) int {
	s.field(name)
	return s.Integer()
}

func (s *scanner) float(name string) float64 {
	s.field(name)
	at := s.Blanks()
	bits, err := ir.ParseConst(ir.Float64, s.Constant())
	if err != nil {
		s.Refuse(at, "%v", err)
	}
	return math.Float64frombits(bits)
}

func (s *scanner) quoted(name string) string {
	s.field(name)
	return s.Quoted()
}

func (s *scanner) integers(name string) []int {
	s.field(name)
	return s.Integers("[]")
}

// number reads the number that must come next.
func (s *scanner) number(want int) {
	at := s.Blanks()
	if n := s.Run(ir.IsDigit); n == "" {
		s.Syntax("a number")
	} else if n != strconv.Itoa(want) {
		s.Refuse(at, "found %.40s, want %d: lines are numbered in their order", n, want)
	}
}

// task reads a task behind its number.
func (s *scanner) task() (t Task) {
	t.First = s.integer("steps")
	s.Want("..")
	t.Last = s.Integer()
	t.Scratch, t.Work, t.Elems = s.integer("scratch"), s.float("work"), s.integer("elems")
	if s.Next() != '{' {
		t.Block = s.integer("block")
	}
	s.Want("{")
	t.Pos = s.EndLine()
	for s.Bad == nil && s.Accept("#") {
		s.Want("step")
		s.number(t.First + len(t.Choices))
		t.Choices = append(t.Choices, s.choice())
	}
	for at := s.Blanks(); s.Bad == nil && s.Accept("$"); at = s.Blanks() {
		s.Mark(place{task: s.now, kind: "slot", n: len(t.Slots)}, at)
		s.number(len(t.Slots))
		t.Slots = append(t.Slots, s.slot())
	}
	for s.Bad == nil && s.Accept("part") {
		t.Parts = append(t.Parts, s.nest(&t))
	}
	s.Want("}")
	s.EndLine()
	return t
}

// choice reads a choice behind its step, and the lines of rejected strategies.
func (s *scanner) choice() (c Choice) {
	s.Want(":")
	c.Strategy = s.Name("the name of a strategy")
	c.Kernel, c.Engine = s.quoted("kernel"), s.quoted("engine")
	c.Kernels, c.Cost = s.integer("kernels"), s.float("cost")
	c.Packed, c.NonTemporal = s.integers("packed"), s.integers("nontemporal")
	if at := s.Blanks(); s.Accept("entries") {
		s.Pos = at
		c.Entries = s.integer("entries")
	}
	s.EndLine()
	for s.Bad == nil {
		at := s.Blanks()
		if !s.Accept("#") || !s.Accept("not") {
			s.Pos = at
			return c
		}
		r := Rejected{Strategy: s.Name("the name of a strategy"), Cost: s.float("cost"), Why: s.quoted("why")}
		c.Rejected = append(c.Rejected, r)
		s.EndLine()
	}
	return c
}

// slot reads a slot behind its number.
func (s *scanner) slot() (out Slot) {
	s.Want("=")
	at := s.Blanks()
	kind := slices.Index(slotKinds[:], s.Word("buffer, scratch, table or bytes"))
	if kind < 0 {
		s.Pos = at
		s.Syntax("buffer, scratch, table or bytes")
		return out
	}
	out.Kind = SlotKind(kind)
	at, text := s.Blanks(), ""
	switch out.Kind {
	case Operand:
		s.Want("%")
		out.Buffer = s.Integer()
	case Scratch:
		out.Offset = s.Integer()
	case Table:
		text = s.Constant()
	}
	s.Want(":")
	out.DType = s.Dtype()
	if out.Kind != Operand {
		s.Want("[")
		out.Elems = s.Integer()
		s.Want("]")
	}
	if out.Kind == Table && s.Bad == nil {
		bits, err := ir.ParseConst(out.DType, text)
		if err != nil {
			s.Refuse(at, "%v", err)
		}
		out.Bits = bits
	}
	s.EndLine()
	return out
}

// nest reads loops and the items in them, of a part with the numbers of the steps of its task, which is nil for other nests.
func (s *scanner) nest(t *Task) (n Nest) {
	if s.depth++; s.depth > maxDepth {
		s.Refuse(s.Blanks(), "more than %d nests in each other", maxDepth)
	}
	s.List("[]", maxDepth, func() {
		s.Mark(place{task: s.now, kind: "loop", n: s.loops}, s.Blanks())
		s.loops++
		l := Loop{Name: s.loopName()}
		l.Extent = s.size()
		s.Want("/")
		l.Tile = s.Integer()
		n.Loops = append(n.Loops, l)
	})
	s.Want("{")
	s.EndLine()
	step := 0
	for s.Bad == nil && !s.Accept("}") {
		if t != nil && s.Accept("step") {
			step = s.step(t)
			continue
		}
		if s.Accept("for") {
			inner := s.nest(nil)
			n.Items = append(n.Items, Item{Nest: &inner, Step: step})
			continue
		}
		s.Mark(place{task: s.now, kind: "call", n: s.calls, arg: -1}, s.Pos)
		s.calls++
		n.Items = append(n.Items, Item{Call: s.call(), Step: step})
	}
	s.EndLine()
	s.depth--
	return n
}

// step reads the number of a step of a task, and returns it counted from the task's first.
func (s *scanner) step(t *Task) int {
	at := s.Blanks()
	n := s.Integer()
	if s.Bad == nil && (n < t.First || n > t.Last) {
		s.Refuse(at, "the task has no step %d", n)
	}
	s.EndLine()
	return n - t.First
}

// loopName reads the name of a loop and = behind it, or nothing.
func (s *scanner) loopName() string {
	at := s.Blanks()
	name := s.Run(ir.IsWordByte)
	if ir.IsName(name) && s.Accept("=") {
		return name
	}
	s.Pos = at
	return ""
}

// size reads 64, of(0) or 64*of(0).
func (s *scanner) size() Size {
	size := Size{Loop: -1, N: 1}
	if !s.Accept("of") {
		if size.N = s.Integer(); !s.Accept("*") {
			return size
		}
		s.Want("of")
	}
	s.Want("(")
	at := s.Blanks()
	if size.Loop = s.Integer(); size.Loop < 0 {
		s.Refuse(at, "a loop has no number below 0")
	}
	s.Want(")")
	return size
}

// call reads the three lines of a call.
func (s *scanner) call() *Call {
	s.Want("call")
	past := s.Accept(nonTemporalText)
	c := &Call{Kernel: kernel.ScanCode(s.Scanner), NonTemporal: past}
	s.EndLine()
	at := s.Blanks()
	s.field("rows")
	c.Rows = s.size()
	s.field("cols")
	c.Cols = s.size()
	var names []string
	for s.Bad == nil && s.Next() != '\n' && s.Next() != '/' {
		names = append(names, s.Word("the name of a field"))
		s.Want("=")
		c.Fields = append(c.Fields, s.size())
	}
	if s.Bad == nil && !s.SyntaxOnly && !slices.Equal(names, c.Kernel.Fields()) {
		s.Refuse(at, "the fields are %.200q, the kernel has %q", names, c.Kernel.Fields())
	}
	s.EndLine()
	at = s.Blanks()
	s.args(c)
	ins := len(c.Args)
	s.Want("->")
	s.args(c)
	s.EndLine()
	if s.Bad == nil && !s.SyntaxOnly && ins != inputs(c.Kernel) {
		s.Refuse(at, "%d inputs, the kernel has %d", ins, inputs(c.Kernel))
	}
	return c
}

// args reads arguments of the form $2{64,1}+0/16.
func (s *scanner) args(c *Call) {
	for at := s.Blanks(); s.Bad == nil && s.Accept("$"); at = s.Blanks() {
		s.Mark(place{task: s.now, kind: "call", n: s.calls - 1, arg: len(c.Args)}, at)
		a := Arg{Slot: s.Integer(), Strides: s.Integers("{}"), Offset: s.Offset()}
		s.Want("/")
		a.Step = s.Integer()
		c.Args = append(c.Args, a)
	}
}

// inputs returns the number of arguments of a kernel that are inputs.
func inputs(c kernel.Code) int {
	n := slices.IndexFunc(c.Args(), func(a kernel.Arg) bool { return a.Out })
	if n < 0 {
		return len(c.Args())
	}
	return n
}
