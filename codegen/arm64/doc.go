// Package arm64 compiles kernels to NEON instructions. The result is a Program, a list of instructions over physical registers,
// which Program.Text prints for Go's assembler.
//
// Instructions are rows of a table (table*.go): a name, a word, and texts with placeholders for operands (fields.go, memory.go). Rows
// are proven by testdata/words.txt, which llvm-mc made, and by the disassembler of golang.org/x/arch. Those that are printed as
// mnemonics of Go's assembler are proven by it.
package arm64
