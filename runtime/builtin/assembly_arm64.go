//go:build !purego

package builtin

import (
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

// Register makes the kernels known to all plans that are linked from then on. Kernels without assembly are Go loops.
func Register() {
	portable.Register()
	kernels_neon.register(abi.NEON)
}
