package codegen

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Names of kernels' functions. A name follows from the signature alone.

const (
	symbolOps  = 4  // the most op names in a symbol
	symbolHash = 10 // hexadecimal digits of the signature's hash
)

// Symbol returns the name of a canonical kernel's function in Go and in assembly: the
// row of a micro-kernel, its combiners, the ops of the body, the element types and the
// operand classes for the reader, then a hash of the signature. Generate refuses
// kernels that share one.
//
//	k_mul_add_f32_uus_1a2b3c4d5e
//	k_reduce_add_exp_f32_u_1a2b3c4d5e
func Symbol(c kernel.Code) string {
	parts := []string{"k"}
	switch c := c.(type) {
	case *kernel.Kernel:
		parts = append(parts, bodyNames(c)...)
	case *kernel.Micro:
		parts = append(parts, microNames(c)...)
	}
	sum := sha256.Sum256([]byte(c.Signature()))
	return strings.Join(append(parts, hex.EncodeToString(sum[:])[:symbolHash]), "_")
}

func microNames(m *kernel.Micro) []string {
	names := []string{m.Kind.String()}
	for _, by := range append(slices.Clone(m.Combine), m.Op) {
		if by != ir.OpInvalid {
			names = append(names, by.String())
		}
	}
	if m.Type != ir.Invalid {
		names = append(names, m.Type.Text())
	}
	if m.Carry {
		names = append(names, "carry")
	}
	if m.Body != nil {
		names = append(names, bodyNames(m.Body)...)
	}
	return names
}

// bodyNames lists the ops, types and operand classes of a body.
func bodyNames(k *kernel.Kernel) []string {
	var names []string
	for _, in := range k.Body {
		if in.Op != ir.OpConst {
			names = append(names, in.Op.String())
		}
	}
	if len(names) > symbolOps {
		names = append(names[:symbolOps-1], "etc")
	}
	return append(append(names, symbolTypes(k)...), symbolClasses(k))
}

// symbolTypes lists the element types that the kernel reads and writes.
func symbolTypes(k *kernel.Kernel) []string {
	var names []string
	add := func(d ir.DType) {
		if !slices.Contains(names, d.Text()) {
			names = append(names, d.Text())
		}
	}
	for _, in := range k.In {
		add(in.DType)
	}
	for _, r := range k.Out {
		add(k.DType(r))
	}
	return names
}

// symbolClasses has a letter for each input: u for unit, s for splat, c for a member of a group; and for each
// group of outputs its factor.
func symbolClasses(k *kernel.Kernel) string {
	var b strings.Builder
	for _, in := range k.In {
		switch {
		case in.Splat:
			b.WriteByte('s')
		case in.Member.Of > 0:
			b.WriteByte('c')
		default:
			b.WriteByte('u')
		}
	}
	for _, c := range k.OutMember {
		if c.Of > 0 && c.At == 0 {
			b.WriteString(strconv.Itoa(int(c.Of)))
		}
	}
	return b.String()
}
