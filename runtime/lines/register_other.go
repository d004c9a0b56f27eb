//go:build (!amd64 && !arm64) || purego

package lines

import "github.com/stridefuse/stridefuse/ir/kernel"

func registerAssembly([]*kernel.Micro) {}
