// Package jit assembles kernels while a program runs: the machine code that genkernels would have generated as text, in
// memory that the system lets execute.
//
// [Assemble] returns the [Kernel] of a signature. All programs of the process share it, and its memory is given back
// when none of them holds it. [Off] says why the process assembles no kernels: another system or processor, the build
// tag nojit, the environment variable STRIDEFUSE_JIT=off, or a system that refuses executable memory. Callers then use
// tilings, which have the same bits.
//
// The machine code comes from packages codegen/amd64 and codegen/arm64. It is a leaf: it calls nothing, keeps no pointer after it has
// returned, and moves no stack pointer, so Go's runtime sees it as a call that is in progress. The samples of a CPU
// profile that fall into it are named runtime._ExternalCode.
//
// A page of memory is writable or executable, never both. The pages are private memory that is first written, then
// made executable and read-only, and a kernel has its pages to itself: to add one, no page of another is opened. (A second,
// writable view of the same memory would spare system calls, and leave every kernel open to writes for ever.)
package jit

// Env is the environment variable STRIDEFUSE_JIT. The value off turns the package off; prepared has programs assemble all
// their kernels before their first run (see graph.WithAssembledKernels). Each value is looked for once: prepared when the
// first program is compiled, off when a program could first assemble kernels, or Explain says whether it can.
const Env = "STRIDEFUSE_JIT"
