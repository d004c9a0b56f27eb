package nest

import "github.com/stridefuse/stridefuse/ir"

// Scan reads a program.
func Scan(s *ir.Scanner) { (&scanner{Scanner: s}).program() }
