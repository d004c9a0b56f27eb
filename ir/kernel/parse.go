package kernel

import (
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
)

// scanner reads the text of kernels.
type scanner struct{ *ir.Scanner }

// ParseKernel reads the text of a kernel, as String and Signature write it,
// and verifies it. Errors are *ir.ParseError.
func ParseKernel(text string) (*Kernel, error) {
	s := &scanner{ir.NewScanner(text)}
	s.EmptyLines()
	k := s.kernel()
	s.End()
	if err := s.Err(); err != nil {
		return nil, err
	}
	return k, nil
}

// Scan reads a kernel, and verifies it.
func Scan(s *ir.Scanner) *Kernel { return (&scanner{s}).kernel() }

// maxKernelLen bounds the lists in the text of a kernel. The expansion of a kernel of MaxBody instructions is well below it.
const maxKernelLen = 1 << 17

// kernel reads kernel fast (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }.
func (s *scanner) kernel() *Kernel {
	from := s.Blanks()
	k := &Kernel{}
	s.Want("kernel")
	k.Fast = s.Accept("fast")
	s.List("()", MaxOperands, func() { s.kernelOperand(k) })
	s.Want("{")
	for s.Bad == nil && !s.Accept("store") {
		s.kernelInst(k)
		s.Want(";")
	}
	for s.Bad == nil && s.Next() != '}' {
		s.output(k)
	}
	s.Want("}")
	if s.Bad != nil {
		return k
	}
	if err := k.VerifyBody(); err != nil {
		s.Refuse(from, "%v", err)
	}
	return k
}

// kernelOperand reads u0:f32, or (u0 u1):f32.
func (s *scanner) kernelOperand(k *Kernel) {
	first := len(k.In)
	s.members(func(m Member) {
		at := s.Blanks()
		class, n := s.refText()
		k.In = append(k.In, Operand{Splat: class == 's', Member: m})
		if s.Bad == nil && (class == 't' || n != len(k.In)-1) {
			s.Refuse(at, "operand %c%d, want u%d or s%[3]d", class, n, len(k.In)-1)
		}
	})
	s.Want(":")
	d, of := s.Dtype(), uint8(len(k.In)-first)
	for i := range k.In[first:] {
		o := &k.In[first+i]
		if o.DType = d; o.Member != (Member{}) {
			o.Member.Of = of
		}
	}
}

// output reads an output, or the outputs of an interleave group in parentheses.
func (s *scanner) output(k *Kernel) {
	first := len(k.Out)
	group := s.members(func(Member) { k.Out = append(k.Out, s.ref(k)) })
	if group && k.OutMember == nil {
		k.OutMember = make([]Member, first)
	}
	for i := range k.Out[first:] {
		switch {
		case group:
			k.OutMember = append(k.OutMember, Member{uint8(i), uint8(len(k.Out) - first)})
		case k.OutMember != nil:
			k.OutMember = append(k.OutMember, Member{})
		}
	}
}

// members reads one item, or several in parentheses: the members of an interleave group, whose number is not yet
// known.
func (s *scanner) members(item func(m Member)) (group bool) {
	if !s.Accept("(") {
		item(Member{})
		return false
	}
	for n := uint8(0); s.Bad == nil && !s.Accept(")"); n++ {
		if n == MaxFactor {
			s.Refuse(s.Blanks(), "more than %d members of an interleave group", MaxFactor)
			return true
		}
		item(Member{n, MaxFactor})
	}
	return true
}

func (s *scanner) kernelInst(k *Kernel) {
	at := s.Blanks()
	class, n := s.refText()
	if s.Bad == nil && (class != 't' || n != len(k.Body)) {
		s.Refuse(at, "result %c%d, want t%d", class, n, len(k.Body))
	}
	s.Want("=")
	at = s.Blanks()
	in := Inst{Op: s.Op()}
	if s.Accept(":") {
		in.DType = s.Dtype()
	}
	bits := s.Accept(":")
	if bits {
		in.Bits = s.hexBits()
	}
	var args []Ref
	for s.Bad == nil && s.Next() != ';' {
		args = append(args, s.ref(k))
	}
	if s.Bad != nil {
		return
	}
	msg := in.complete(k, args)
	if bits != in.hasBits() {
		msg = "the bits of an element stand after const alone, and the name of a table after table"
	}
	if msg != "" {
		s.Refuse(at, "%s: %s", in.Op, msg)
		return
	}
	k.Body = append(k.Body, in)
	if len(k.Body) > maxKernelLen {
		s.Refuse(at, "more than %d instructions", maxKernelLen)
	}
}

// complete sets the operands and the type of an instruction after its op and, for an op that is given one, its type are read. It
// returns an error text, or "".
func (i *Inst) complete(k *Kernel, args []Ref) string {
	given, info := i.DType, i.Op.Info()
	switch {
	case (given != ir.Invalid) != (info.Result == ir.GivenType):
		return "a type stands after the operations that state one, and after no other"
	case len(args) != info.Arity:
		return "takes " + strconv.Itoa(info.Arity) + " operands, got " + strconv.Itoa(len(args))
	case i.Op == ir.OpConst && (given.Check() != nil || !ir.IsElement(given, i.Bits)):
		return "the bits are not an element of " + given.String()
	case i.Op == ir.OpConst:
		return ""
	case !inBodies(i.Op):
		return "is not elementwise"
	}
	types := make([]ir.DType, len(args))
	for j, a := range args {
		if a == unknown {
			return "an operand is not known"
		}
		i.Args[j], types[j] = a, k.DType(a)
	}
	dt, err := i.Op.ResultType(given, types...)
	if err != nil {
		return err.Error()
	}
	i.DType = dt
	return ""
}

const unknown Ref = -1

// ref reads the name of a value that is already defined.
func (s *scanner) ref(k *Kernel) Ref {
	at := s.Blanks()
	class, n := s.refText()
	r := Ref(n)
	if class == 't' {
		r += Ref(len(k.In))
	}
	if s.Bad == nil && (n < 0 || int(r) >= len(k.In)+len(k.Body) || k.RefName(r)[0] != class) {
		s.Refuse(at, "no value %c%d is known here", class, n)
		return unknown
	}
	return r
}

// refText reads u0, s1 or t2.
func (s *scanner) refText() (class byte, n int) {
	at := s.Blanks()
	word := s.Run(ir.IsWordByte)
	if len(word) < 2 || word[0] != 'u' && word[0] != 's' && word[0] != 't' {
		s.Pos = at
		s.Syntax("a value: u, s or t and a number")
		return 0, 0
	}
	for i := 1; i < len(word); i++ {
		if !ir.IsDigit(word[i]) {
			s.Pos = at
			s.Syntax("a value: u, s or t and a number")
			return 0, 0
		}
	}
	n, err := strconv.Atoi(word[1:])
	if err != nil || n > maxKernelLen {
		s.Refuse(at, "no value %.40s is known here", word)
		return word[0], maxKernelLen
	}
	return word[0], n
}

// hexBits reads the bits of an element.
func (s *scanner) hexBits() uint64 {
	at := s.Blanks()
	text := s.Run(ir.IsHex)
	if text == "" {
		s.Syntax("hexadecimal digits")
		return 0
	}
	bits, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		s.Refuse(at, "more than 64 bits")
	}
	return bits
}
