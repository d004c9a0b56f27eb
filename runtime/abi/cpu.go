package abi

import (
	"fmt"
	"os"
)

// CPUEnv is the environment variable STRIDEFUSE_CPU, which limits the engines of a process: avx512, avx2, neon or
// portable is the best one that programs use. It is read once, when the process starts. Results have the same bits on every engine.
const CPUEnv = "STRIDEFUSE_CPU"

var best = limit(bestOfCPU(), os.Getenv(CPUEnv))

// Best returns the best engine that programs use on this machine. They also use the engines before it.
func Best() Engine { return best }

// limit returns the lesser of an engine and the named one, or Portable if that is NEON on a processor with AVX2. An unknown name has no effect.
func limit(e Engine, name string) Engine {
	if name == "" {
		return e
	}
	for to := range NumEngines {
		switch {
		case to.String() != name:
		case to == NEON && e > NEON:
			return Portable
		default:
			return min(e, to)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: no engine is called %q: avx512, avx2, neon or portable\n", CPUEnv, name)
	return e
}
