package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Assembly: a kernel as genkernels writes it, with what bounds its loops.

// targets are the instruction sets that asm prints.
var targets = map[string]codegen.Target{avo.AVX2.Name(): avo.AVX2}

func targetNames() string { return strings.Join(slices.Sorted(maps.Keys(targets)), ", ") }

// coreRate is what one core of a server reads and writes, about, in GB/s.
const coreRate = 10

// asm prints the assembly of a kernel, as genkernels would write it, and beside each loop what
// an element costs at least.
func (t *tool) asm(context.Context) error {
	name := cmp.Or(t.target, avo.AVX2.Name())
	target := targets[name]
	if target == nil {
		return fmt.Errorf("there is no target %s: there are %s", name, targetNames())
	}
	text, err := annotated(t.arg, target, cmp.Or(t.memory, coreRate))
	if err != nil {
		return err
	}
	_, err = io.WriteString(t.stdout, text)
	return err
}

// annotated returns the assembly of a signature for a target, with comments. They assume a
// memory bandwidth of rate GB/s.
func annotated(signature string, target codegen.Target, rate float64) (string, error) {
	code, err := kernel.ParseCode(signature)
	if err != nil {
		return "", fmt.Errorf("the signature: %w: stridefuse kernels prints those of a program", err)
	}
	if err := code.Verify(); err != nil {
		return "", fmt.Errorf("the signature: %w", err)
	}
	code, _ = kernel.Canonical(code)
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
