package main

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

var long = flag.Bool("long", false, "generate many more random kernels")

// buildsPrograms skips a test with -short: the programs that it builds are the same with all build tags.
func buildsPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
}

// TestFusedKernels generates random kernels, of all ops and types and with
// several outputs, and has the generated test run them on all engines: 40, or 150 with -long.
func TestFusedKernels(t *testing.T) {
	buildsPrograms(t)
	count := 40
	if *long {
		count = 150
	}
	rng := rand.New(rand.NewPCG(7, 7))
	var sigs []string
	for range count {
		k := randomKernel(rng)
		require.NoError(t, k.Verify(), "%s", k)
		sigs = append(sigs, k.String())
	}
	dir := userModule(t, nil)
	code, _, stderr := genkernels(t, dir, strings.Join(sigs, "\n"), "-pkg", "fused", "-")
	require.Zero(t, code, stderr)
	t.Log(stderr)
	goTool(t, dir, "vet", ".")
	t.Log(goTool(t, dir, "test", "-v", "."))
}

// randomKernel builds a body of up to 24 ops on up to 5 operands.
func randomKernel(rng *rand.Rand) *kernel.Kernel {
	types := ir.AllTypes.List()
	favourite := types[rng.IntN(len(types))] // half of the operands have one type, so that more ops find partners
	var operands []kernel.Operand
	for range 1 + rng.IntN(5) {
		d := favourite
		if rng.IntN(2) == 0 {
			d = types[rng.IntN(len(types))]
		}
		operands = append(operands, kernel.Operand{DType: d, Splat: rng.IntN(3) == 0})
	}
	operands[0].Splat = false
	b := kernel.NewBuilder(operands...)
	refs := make([]kernel.Ref, len(operands))
	for i := range refs {
		refs[i] = kernel.Ref(i)
	}
	for range 1 + rng.IntN(24) {
		refs = append(refs, randomOp(rng, b, refs))
	}
	b.Store(refs[len(refs)-1])
	for range rng.IntN(3) {
		b.Store(refs[rng.IntN(len(refs))])
	}
	k, _ := b.Kernel().Canonical()
	return k
}

// randomOp appends an op on some of the existing values.
func randomOp(rng *rand.Rand, b *kernel.Builder, refs []kernel.Ref) kernel.Ref {
	ops, types := ir.Ops(), ir.AllTypes.List()
	for {
		op := ops[rng.IntN(len(ops))]
		if !op.IsElementwise() {
			continue
		}
		args := make([]kernel.Ref, op.Info().Arity)
		in := make([]ir.DType, len(args))
		for i := range args {
			args[i] = refs[rng.IntN(len(refs))]
			in[i] = b.DType(args[i])
		}
		if op == ir.OpBitcast && ir.Floats.Has(in[0]) && int(args[0]) >= len(b.Kernel().In) {
			continue // the bits of a computed NaN are not defined
		}
		given := types[rng.IntN(len(types))]
		if _, err := op.ResultType(given, in...); err != nil {
			continue
		}
		switch op {
		case ir.OpCast:
			return b.Cast(given, args[0])
		case ir.OpBitcast:
			return b.Bitcast(given, args[0])
		}
		return b.Op(op, args...)
	}
}
