package codegen

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

const (
	symbolOps  = 4  // the most op names in a symbol
	symbolHash = 10 // hexadecimal digits of the signature's hash
)

// Symbol returns the name of a canonical kernel's function in Go and in
// assembly: the ops, those of folds, the element types and the operand classes for the reader,
// then a hash of the signature. Generate refuses kernels that share one.
//
//	k_mul_add_f32_uus_1a2b3c4d5e
func Symbol(k *kernel.Kernel) string {
	sum := sha256.Sum256([]byte(k.Signature()))
	parts := append([]string{"k"}, symbolOpNames(k)...)
	if k.Down {
		parts = append(parts, "down")
	}
	parts = append(parts, symbolTypes(k)...)
	parts = append(parts, symbolClasses(k), hex.EncodeToString(sum[:])[:symbolHash])
	return strings.Join(parts, "_")
}

func symbolOpNames(k *kernel.Kernel) []string {
	var names []string
	for _, in := range k.Body {
		if in.Op != ir.OpConst {
			names = append(names, in.Op.String())
		}
	}
	if len(names) > symbolOps {
		names = append(names[:symbolOps-1], "etc")
	}
	for _, by := range k.Fold {
		switch {
		case k.Scans():
			names = append(names, by.String())
		case by != ir.OpInvalid:
			names = append(names, "fold"+by.String())
		}
	}
	return names
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

// symbolClasses has a letter for each input: u for unit, s for splat.
func symbolClasses(k *kernel.Kernel) string {
	var b strings.Builder
	for _, in := range k.In {
		if in.Splat {
			b.WriteByte('s')
		} else {
			b.WriteByte('u')
		}
	}
	return b.String()
}
