package codegen

import "github.com/stridefuse/stridefuse/ir/kernel"

// BuiltinAVX512 reports whether a built-in kernel is made for AVX-512 too.
func BuiltinAVX512(c kernel.Code) bool { return false }
