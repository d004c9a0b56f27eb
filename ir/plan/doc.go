// Package plan is the second level of the compiler: a graph whose sizes are numbers,
// as a list of steps.
//
// A [Step] is one loop nest. It has axes, each with a role; one affine access for each
// operand; a body, which is an elementwise kernel; and a combiner for each output that is
// reduced or scanned. The role of an axis tells how its indices depend on each other:
// Parallel, Reduce, Scan, ScanExclusive, Contract or Line. The kind of a step follows
// from its roles: see role.go.
//
//	step 0 [256,1000 reduce]
//	  kernel (u0:f32, u1:f32) { t0 = sub u0 u1; t1 = exp t0; store t1 t1 }
//	  %0{1000,1}+0 %2{1,0}+0 -> %3{1000,1}+0 add %4{1,0}+0
//
// A [Plan] has buffers (inputs, results, constants, temporaries in one arena), the steps
// that fill them, row groups (successive steps that run on one block of rows before the
// next block), and a ledger of decisions with their reasons.
//
// A plan has a text that parses back and a verifier: each access is within its buffer,
// each output element is stored once, no temporary is read after its memory is reused.
// Package passes makes plans; package passes/schedule turns their steps into loops and
// calls of kernels. A plan has neither tiles nor threads.
package plan
