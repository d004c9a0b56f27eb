package kernel

import (
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// The text of a kernel. parse.go reads it.

// String returns the kernel on one line:
//
//	kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }
//
// The members of an interleave group are in parentheses: see Member.
func (k *Kernel) String() string {
	var b strings.Builder
	b.Grow(32 + 24*len(k.Body))
	b.WriteString("kernel ")
	if k.Fast {
		b.WriteString("fast ")
	}
	b.WriteByte('(')
	for i, in := range k.In {
		switch {
		case in.Member.At > 0:
			b.WriteByte(' ')
		case i > 0:
			b.WriteString(", ")
		}
		k.writeMember(&b, Ref(i), in.Member)
		if in.Member.At+1 >= in.Member.Of {
			b.WriteByte(':')
			b.WriteString(in.DType.Text())
		}
	}
	b.WriteString(") {")
	for j := range k.Body {
		k.writeInst(&b, Ref(len(k.In)+j))
		b.WriteByte(';')
	}
	b.WriteString(" store")
	for i, r := range k.Out {
		b.WriteByte(' ')
		k.writeMember(&b, r, k.OutMemberOf(i))
	}
	b.WriteString(" }")
	return b.String()
}

func (k *Kernel) writeInst(b *strings.Builder, r Ref) {
	in := k.Inst(r)
	b.WriteByte(' ')
	k.writeRef(b, r)
	b.WriteString(" = ")
	b.WriteString(in.Op.String())
	if in.Op.Info().Result == ir.GivenType {
		b.WriteByte(':')
		b.WriteString(in.DType.Text())
	}
	if in.hasBits() {
		b.WriteByte(':')
		b.WriteString(strconv.FormatUint(in.Bits, 16))
	}
	for _, a := range in.Args[:in.Arity()] {
		b.WriteByte(' ')
		k.writeRef(b, a)
	}
}

// writeMember writes a value, with a parenthesis if it is the first or the last member of an interleave group.
func (k *Kernel) writeMember(b *strings.Builder, r Ref, c Member) {
	if c.Of > 0 && c.At == 0 {
		b.WriteByte('(')
	}
	k.writeRef(b, r)
	if c.Of > 0 && c.At+1 == c.Of {
		b.WriteByte(')')
	}
}

// RefName returns the name of a value in text: u0, s1, t2.
func (k *Kernel) RefName(r Ref) string {
	class, n := k.refName(r)
	return string(class) + strconv.Itoa(n)
}

func (k *Kernel) refName(r Ref) (class byte, n int) {
	switch {
	case int(r) >= len(k.In):
		return 't', int(r) - len(k.In)
	case k.In[r].Splat:
		return 's', int(r)
	}
	return 'u', int(r)
}

func (k *Kernel) writeRef(b *strings.Builder, r Ref) {
	class, n := k.refName(r)
	b.WriteByte(class)
	b.WriteString(strconv.Itoa(n)) // without a copy below 100
}
