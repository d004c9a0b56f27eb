package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// targets are the instruction sets that asm prints.
var targets = map[string]codegen.Target{avo.AVX2.Name(): avo.AVX2}

func targetNames() string { return strings.Join(slices.Sorted(maps.Keys(targets)), ", ") }

// coreRate is what one core of a server reads and writes, about, in GB/s.
const coreRate = 10

// asm prints the assembly of a kernel, as genkernels would write it, and beside each loop what
// an element costs at least.
func (t *tool) asm(context.Context) error {
	code, err := kernel.ParseCode(t.arg)
	if err != nil {
		return fmt.Errorf("the signature: %w: stridefuse kernels prints those of a program", err)
	}
	if err := code.Verify(); err != nil {
		return fmt.Errorf("the signature: %w", err)
	}
	code, _ = kernel.Canonical(code)
	name := cmp.Or(t.target, avo.AVX2.Name())
	target := targets[name]
	if target == nil {
		return fmt.Errorf("there is no target %s: there are %s", name, targetNames())
	}
	text, err := target.Assemble("kernels", []kernel.Code{code})
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	loops := findLoops(lines)
	fmt.Fprintf(t.stdout, "%s\n\n", code.Signature())
	for i, line := range lines {
		for _, l := range loops {
			if l.first == i {
				fmt.Fprintf(t.stdout, "%s\n", l.comment(cmp.Or(t.memory, coreRate)))
			}
		}
		fmt.Fprintln(t.stdout, line)
	}
	return nil
}
