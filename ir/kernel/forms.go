package kernel

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// A cache of canonical forms. Programs compile the same bodies again and again: the layers of a model, the same formula for other
// sizes, one body with each of its operands as a splat.

// maxForms is the capacity of the cache, at about 1 KB each. When it is exceeded, all forms are dropped.
const maxForms = 4096

// form is a result of Canonical, and is never changed.
type form struct {
	canon *Kernel
	micro *Micro // of a micro-kernel, instead of canon
	order []int
}

var forms struct {
	sync.RWMutex
	of map[string]form // by content
}

// known returns a cached canonical form.
func known(content []byte) (f form, ok bool) {
	forms.RLock()
	defer forms.RUnlock()
	f, ok = forms.of[string(content)]
	return f, ok
}

// keep caches a canonical form.
func keep(content []byte, f form) {
	forms.Lock()
	defer forms.Unlock()
	if len(forms.of) >= maxForms || forms.of == nil {
		forms.of = make(map[string]form)
	}
	forms.of[string(content)] = f
}

// content appends everything about a micro-kernel except its signature and its body. No kernel's content begins in the same way.
func (m *Micro) content(b []byte) []byte {
	const micro = 2 // and no flag
	return append(b, micro, byte(m.Kind), byte(m.Op), byte(m.Type), flag(m.Carry), byte(len(m.Combine)))
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// content appends everything about a kernel except its signature, and the combiners of its outputs.
func (k *Kernel) content(b []byte, combine []ir.Op) []byte {
	b = slices.Grow(b, 16+4*len(k.In)+16*len(k.Body)) // about what it takes
	ref := func(r Ref) { b = binary.AppendVarint(b, int64(r)) }
	b = append(b, flag(k.Fast))
	ref(Ref(len(k.In)))
	for _, in := range k.In {
		b = append(b, byte(in.DType), flag(in.Splat), in.Member.At, in.Member.Of)
	}
	ref(Ref(len(k.Body)))
	for i := range k.Body {
		in := &k.Body[i]
		b = append(b, byte(in.Op), byte(in.DType))
		b = binary.AppendUvarint(b, in.Bits)
		for _, a := range in.Args[:in.Arity()] {
			ref(a)
		}
	}
	ref(Ref(len(k.Out)))
	for _, r := range k.Out {
		ref(r)
	}
	for _, op := range combine {
		b = append(b, byte(op))
	}
	if k.OutMember != nil {
		const interleaved = 0xff // no op
		b = append(b, interleaved)
		for _, c := range k.OutMember {
			b = append(b, c.At, c.Of)
		}
	}
	return b
}
