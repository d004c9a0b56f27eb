package kernel

import "github.com/stridefuse/stridefuse/ir"

// scanner reads the text of kernels.
type scanner struct{ *ir.Scanner }
