//go:build (!amd64 && !arm64) || purego

package builtin

import "github.com/stridefuse/stridefuse/runtime/builtin/portable"

// Register makes the kernels known to all plans that are linked from then on.
func Register() { portable.Register() }
