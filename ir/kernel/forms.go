package kernel

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// Canonical forms that were computed before. Programs compile the same bodies again and again:
// the layers of a model, the same formula for other sizes, one body with each of its
// operands as a splat.

// maxForms is how many are kept, at about 1 KB each. All are forgotten when there are more.
const maxForms = 4096

// form is what Canonical returns, and is never changed.
type form struct {
	canon *Kernel
	micro *Micro // of a micro-kernel, in place of canon
	order []int
}

var forms struct {
	sync.RWMutex
	of map[string]form // by content
}

// known returns a canonical form that was kept.
func known(content []byte) (f form, ok bool) {
	forms.RLock()
	defer forms.RUnlock()
	f, ok = forms.of[string(content)]
	return f, ok
}

// keep keeps a canonical form.
func keep(content []byte, f form) {
	forms.Lock()
	defer forms.Unlock()
	if len(forms.of) >= maxForms || forms.of == nil {
		forms.of = make(map[string]form)
	}
	forms.of[string(content)] = f
}

// content appends all that a micro-kernel is, but for its signature and its body. No content of
// a kernel begins as it does.
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

// content appends all that a kernel is, but for its signature, and what combines its outputs.
func (k *Kernel) content(b []byte, combine []ir.Op) []byte {
	b = slices.Grow(b, 16+4*len(k.In)+16*len(k.Body)) // about what it takes
	ref := func(r Ref) { b = binary.AppendVarint(b, int64(r)) }
	b = append(b, flag(k.Fast))
	ref(Ref(len(k.In)))
	for _, in := range k.In {
		b = append(b, byte(in.DType), flag(in.Splat), in.Channel.At, in.Channel.Of)
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
	if k.OutChannel != nil {
		const channels = 0xff // no op
		b = append(b, channels)
		for _, c := range k.OutChannel {
			b = append(b, c.At, c.Of)
		}
	}
	return b
}
