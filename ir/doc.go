// Package ir is the intermediate representation that the whole compiler shares:
// element types, symbolic sizes, the table of operations, and graphs.
//
// A graph is a [Func]: parameters, values in the order of computation, and results.
// A value has an op, operands, attributes and a [Type], which is an element type and a
// shape. It says what is computed; how the elements are laid out in memory is decided
// later. The views of a graph (reshape, slice, permute, broadcast) are values too.
//
// The op table (optable.go) declares each [Op] in one row: its name, kind, arity, the
// element types it takes, its algebraic facts and its meaning. Type inference, the text,
// the parser, the verifier, the evaluator and the kernels of both engines are derived
// from the row. A lane op has a reference function for one element; a composed op has an
// expansion into lane ops, in package ir/elementary.
//
// Every graph has a text, and Parse reads it back:
//
//	func normalize(%x: f32[n,3]) {
//	  %0 = sum %x axes=[0] : f32[3]     // main.go:12
//	  %1 = sub %x, %0      : f32[n,3]   // main.go:12
//	  return %1
//	}
//
// Verify checks a graph against the grammar of a stage of the pipeline.
//
// This package also fixes the arithmetic of reductions: into which chunks a line is cut
// and in which order the partial results are combined. No optimization changes it, so
// that the results of a program have the same bits on every engine.
//
// The packages below it continue the way to machine code: ir/kernel has loop bodies,
// ir/plan steps, ir/nest schedules, and ir/eval the definitions. Package ir imports
// ir/layout, ir/scalar and the standard library.
package ir
