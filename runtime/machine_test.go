package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestMachine: plans are made for the engine, unless the executor has constants of its own.
func TestMachine(t *testing.T) {
	neon := abi.Best() == abi.NEON
	require.Equal(t, neon, (&Executor{}).Machine().NearBytes == tuning.NEON(1).NearBytes)
	require.Equal(t, tuning.Default(1).NearBytes, (&Executor{Portable: true}).Machine().NearBytes)
	own := tuning.Default(1)
	own.NearBytes = 12345
	require.Equal(t, 12345, (&Executor{Tuning: own}).Machine().NearBytes)
}
