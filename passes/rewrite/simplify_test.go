package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestSynonyms checks that the table of synonyms has exactly the composed ops that expand to one lane op.
func TestSynonyms(t *testing.T) {
	met := 0
	for _, op := range ir.Ops() {
		for _, d := range ir.AllTypes.List() {
			if op.Info().Kind != ir.Composed || !op.Info().Domain.Has(d) || !op.Info().Domain.Has(d.Compute()) {
				continue
			}
			operands, refs := make([]kernel.Operand, op.Info().Arity), make([]kernel.Ref, op.Info().Arity)
			value := &ir.Value{Op: op}
			for i := range operands {
				operands[i], refs[i] = kernel.Operand{DType: d.Compute()}, kernel.Ref(i)
				value.Args = append(value.Args, &ir.Value{Type: ir.Type{DType: d}})
			}
			b := kernel.NewBuilder(operands...)
			b.Store(b.Op(op, refs...))
			k := elementary.Expand(b.Kernel())
			s := SynonymOf(value)
			require.Equal(t, len(k.Body) == 1, s != nil, "%s on %s", op, d)
			if s == nil {
				continue
			}
			met++
			require.Equal(t, k.Body[0].Op, s.Op, "%s on %s", op, d)
			for i, a := range s.Args {
				require.EqualValues(t, k.Body[0].Args[i], a, "%s on %s", op, d)
			}
		}
	}
	require.Positive(t, met)
}
