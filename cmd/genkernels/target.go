package main

import "github.com/stridefuse/stridefuse/codegen/avo"

// target makes the assembly.
var target = avo.AVX2
