package main

// kernels lists the forms of each kernel. A test writes another file in place of this one, with declarations of the assembly.
var kernels [][]compiled
