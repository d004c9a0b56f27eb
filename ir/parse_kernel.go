package ir

import (
	"strconv"
)

// ParseKernel reads the text of a kernel, as String and Signature write it,
// and verifies it. Errors are *ParseError.
func ParseKernel(text string) (*Kernel, error) {
	s := &scanner{text: text}
	s.emptyLines()
	k := s.kernel()
	s.end()
	if err := s.err(); err != nil {
		return nil, err
	}
	return k, nil
}

// maxKernelLen bounds the lists of a kernel in text: what Expand makes of a
// kernel of MaxBody instructions is well below.
const maxKernelLen = 1 << 17

// kernel reads kernel fast (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }.
func (s *scanner) kernel() *Kernel {
	from := s.blanks()
	k := &Kernel{}
	s.want("kernel")
	k.Fast = s.accept("fast")
	k.Down = s.accept("down")
	s.list("()", MaxOperands, func() { s.kernelOperand(k) })
	s.want("{")
	for s.bad == nil && !s.accept("store") {
		s.kernelInst(k)
		s.want(";")
	}
	for s.bad == nil && s.next() != '}' {
		s.kernelOut(k)
	}
	s.want("}")
	if s.bad != nil {
		return k
	}
	if err := k.Verify(); err != nil {
		s.refuse(from, "%v", err)
	}
	return k
}

// kernelOut reads an output: t0, or add(t0).
func (s *scanner) kernelOut(k *Kernel) {
	at, folds := s.blanks(), false
	if s.run(isWordByte); s.next() == '(' {
		folds = true
	}
	s.pos = at
	by := OpInvalid
	if folds {
		by = s.op()
		s.want("(")
	}
	k.Out = append(k.Out, s.ref(k))
	if folds {
		s.want(")")
	}
	if folds && k.Fold == nil {
		k.Fold = make([]Op, len(k.Out)-1, len(k.Out))
	}
	if k.Fold != nil {
		k.Fold = append(k.Fold, by)
	}
}

func (s *scanner) kernelOperand(k *Kernel) {
	at := s.blanks()
	class, n := s.refText()
	s.want(":")
	k.In = append(k.In, Operand{DType: s.dtype(), Splat: class == 's'})
	if s.bad == nil && (class == 't' || n != len(k.In)-1) {
		s.refuse(at, "operand %c%d, want u%d or s%[3]d", class, n, len(k.In)-1)
	}
}

func (s *scanner) kernelInst(k *Kernel) {
	at := s.blanks()
	class, n := s.refText()
	if s.bad == nil && (class != 't' || n != len(k.Body)) {
		s.refuse(at, "result %c%d, want t%d", class, n, len(k.Body))
	}
	s.want("=")
	at = s.blanks()
	in := Inst{Op: s.op()}
	if s.accept(":") {
		in.DType = s.dtype()
	}
	constant := s.accept(":")
	if constant {
		in.Bits = s.hexBits()
	}
	var args []Ref
	for s.bad == nil && s.next() != ';' {
		args = append(args, s.ref(k))
	}
	if s.bad != nil {
		return
	}
	msg := in.complete(k, args)
	if constant != (in.Op == OpConst) {
		msg = "the bits of an element stand after const alone"
	}
	if msg != "" {
		s.refuse(at, "%s: %s", in.Op, msg)
		return
	}
	k.Body = append(k.Body, in)
	if len(k.Body) > maxKernelLen {
		s.refuse(at, "more than %d instructions", maxKernelLen)
	}
}

// complete sets the operands and the type of an instruction whose op, and type
// if the op is given one, are read. It returns what is wrong with them.
func (i *Inst) complete(k *Kernel, args []Ref) string {
	given, info := i.DType, i.Op.Info()
	switch {
	case (given != Invalid) != (info.Result == GivenType):
		return "a type stands after the operations that state one, and after no other"
	case len(args) != info.Arity:
		return "takes " + strconv.Itoa(info.Arity) + " operands, got " + strconv.Itoa(len(args))
	case i.Op == OpConst && (given.CheckRuns() != nil || !isElement(given, i.Bits)):
		return "the bits are not an element of " + given.String()
	case i.Op == OpConst:
		return ""
	case !i.Op.IsElementwise() && i.Op != OpDot && i.Op != OpPermute:
		return "is not elementwise"
	}
	types := make([]DType, len(args))
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

// ref reads the name of a value that the kernel has already.
func (s *scanner) ref(k *Kernel) Ref {
	at := s.blanks()
	class, n := s.refText()
	r := Ref(n)
	if class == 't' {
		r += Ref(len(k.In))
	}
	if s.bad == nil && (n < 0 || int(r) >= len(k.In)+len(k.Body) || k.RefName(r)[0] != class) {
		s.refuse(at, "no value %c%d is known here", class, n)
		return unknown
	}
	return r
}

// refText reads u0, s1 or t2.
func (s *scanner) refText() (class byte, n int) {
	at := s.blanks()
	word := s.run(isWordByte)
	if len(word) < 2 || word[0] != 'u' && word[0] != 's' && word[0] != 't' {
		s.pos = at
		s.syntax("a value: u, s or t and a number")
		return 0, 0
	}
	for i := 1; i < len(word); i++ {
		if !isDigit(word[i]) {
			s.pos = at
			s.syntax("a value: u, s or t and a number")
			return 0, 0
		}
	}
	n, err := strconv.Atoi(word[1:])
	if err != nil || n > maxKernelLen {
		s.refuse(at, "no value %.40s is known here", word)
		return word[0], maxKernelLen
	}
	return word[0], n
}

// dtype reads the name of an element type.
func (s *scanner) dtype() DType {
	at := s.blanks()
	name := s.word("an element type")
	d, ok := ParseDType(name)
	if !ok && s.bad == nil {
		s.refuse(at, "no element type has the name %.40q, want one of f32, i32, bool, ...", name)
	}
	return d
}

// hexBits reads the bits of an element.
func (s *scanner) hexBits() uint64 {
	at := s.blanks()
	text := s.run(isHex)
	if text == "" {
		s.syntax("hexadecimal digits")
		return 0
	}
	bits, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		s.refuse(at, "more than 64 bits")
	}
	return bits
}
