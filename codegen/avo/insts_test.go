package avo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
)

// TestTotal proves that every lane op has instructions for every type that it
// takes and that runs, and that the table has no others.
func TestTotal(t *testing.T) {
	want := map[key]bool{}
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Kind != ir.Lane {
			continue
		}
		for _, d := range (info.Domain & ir.Running).List() {
			if op == ir.OpCast {
				for _, to := range ir.Running.List() {
					require.Contains(t, castRows, pair{d, to}, "cast %s to %s", d, to)
				}
				continue
			}
			k := key{op, d}
			want[k] = true
			_, one := rows[k]
			_, whole := wholeRows[k]
			require.True(t, one != whole, "%s on %s", op, d)
		}
	}
	for k := range rows {
		require.True(t, want[k], "%s does not take %s", k.op, k.d)
	}
}

// TestConstructors proves that every instruction of the lowering can be printed.
func TestConstructors(t *testing.T) {
	for name, op := range opcodes {
		switch {
		case op.Form == machine.FormFMA:
			for _, digits := range fusedDigits {
				require.Contains(t, constructors, spelled(op, digits))
			}
		case special[name] == nil:
			require.Contains(t, constructors, name)
		}
	}
}
