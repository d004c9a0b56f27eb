package plan

import "github.com/stridefuse/stridefuse/ir"

// scanner reads the text of plans.
type scanner struct{ *ir.Scanner }
