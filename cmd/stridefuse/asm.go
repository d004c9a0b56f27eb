package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The command asm: a kernel's assembly, and what bounds its loops.

// targets are the instruction sets that asm prints, in order.
var targets = []codegen.Target{avo.AVX2, avo.AVX512}

func targetNames() string {
	names := make([]string, len(targets))
	for i, target := range targets {
		names[i] = target.Name()
	}
	return strings.Join(names, " or ")
}

// coreRate is about the memory bandwidth of one core of a server, in GB/s.
const coreRate = 10

// asm prints the assembly of a kernel, as genkernels would write it, and beside each loop the least cost of an element.
// Without a named target it prints all targets that have the kernel.
func (t *tool) asm(context.Context) error {
	code, err := parseSignature(t.arg)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(slices.Clone(targets), func(target codegen.Target) bool {
		return t.target != "" && t.target != target.Name() || t.target == "" && !target.Emits(code)
	})
	if t.target != "" && len(list) == 0 {
		return fmt.Errorf("there is no target %s: there is %s", t.target, targetNames())
	}
	for _, target := range list {
		if !target.Emits(code) {
			return fmt.Errorf("%s has no such kernel: processors with it run that of avx2", target.Name())
		}
		text, err := annotated(code, target, cmp.Or(t.memory, coreRate))
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(t.stdout, "// %s, by assembler %s\n%s", target.Name(), target.Assembler(code), text); err != nil {
			return err
		}
	}
	return nil
}

// parseSignature returns the kernel of a signature, in canonical form.
func parseSignature(signature string) (kernel.Code, error) {
	code, err := kernel.ParseCode(signature)
	if err != nil {
		return nil, fmt.Errorf("%w\nstridefuse kernels prints the signatures of a program", inFile(err, "", signature, 0))
	}
	if err := code.Verify(); err != nil {
		return nil, fmt.Errorf("the signature: %w", err)
	}
	code, _ = kernel.Canonical(code)
	return code, nil
}

// annotated returns the assembly of a kernel for a target, with comments. They assume a memory
// bandwidth of rate GB/s.
func annotated(code kernel.Code, target codegen.Target, rate float64) (string, error) {
	assembly, err := target.Assemble("kernels", []kernel.Code{code})
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimRight(string(assembly), "\n"), "\n")
	loops := findLoops(lines)
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n", code.Signature())
	for i, line := range lines {
		for _, l := range loops {
			if l.first == i {
				fmt.Fprintln(&out, l.comment(rate))
			}
		}
		fmt.Fprintln(&out, line)
	}
	return out.String(), nil
}
