package kernel

import "fmt"

// signature is the text of a canonical kernel, kept together with the address of the kernel.
//
// Invariant: only Canonical keeps a signature, in a kernel that it returns, and such a kernel is never changed. A copy of a kernel
// has another address. So it has no signature, does not count as canonical, and may be changed. (strings.Builder recognises
// its copies in the same way.) CheckSignature detects a canonical kernel that was changed in place.
type signature[K any] struct {
	of   *K
	text string
}

// keep keeps the text of k, which is canonical.
func (s *signature[K]) keep(k *K, text string) { s.of, s.text = k, text }

// kept reports whether k, the kernel that contains s, is canonical; s.text is then its signature.
func (s *signature[K]) kept(k *K) bool { return s.of == k && s.text != "" }

// Signature returns the text of a canonical kernel, which is the key under which its compiled forms are registered. Of any
// other kernel it returns String.
func (k *Kernel) Signature() string {
	if k.sig.kept(k) {
		return k.sig.text
	}
	return k.String()
}

// Signature returns the text of a canonical micro-kernel, which is the key under which its compiled forms are registered. Of
// any other micro-kernel it returns String.
func (m *Micro) Signature() string {
	if m.sig.kept(m) {
		return m.sig.text
	}
	return m.String()
}

// CheckSignature returns an error if a canonical kernel was changed, so that its signature is no longer its text.
func CheckSignature(c Code) error {
	if now, was := c.String(), c.Signature(); now != was {
		return fmt.Errorf("%s: the kernel was changed in place; its signature is %s", now, was)
	}
	return nil
}
