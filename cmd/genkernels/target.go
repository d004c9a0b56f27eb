package main

import "github.com/stridefuse/stridefuse/codegen"

// target makes the assembly. Nil: portable Go alone.
var target codegen.Target
