//go:build !amd64 || purego

package builtin

import _ "github.com/stridefuse/stridefuse/runtime/builtin/portable" // registers its kernels
