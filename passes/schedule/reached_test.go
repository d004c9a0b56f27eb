package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/irtest"
)

// reached counts in how many random cases something was tested.
type reached map[string]int

// TestMain runs the tests with 25 random cases for each rapid.Check, most of which check translations of nests.
func TestMain(m *testing.M) { irtest.Main(m, 25) }

// checkAll checks random cases, in rounds, until each of the names is in one of them: the rare
// ones are missing from one of four rounds.
func (r reached) checkAll(t *testing.T, names []string, check func(*rapid.T)) {
	missing := func() (list []string) {
		for _, name := range names {
			if r[name] == 0 {
				list = append(list, name)
			}
		}
		return list
	}
	for round := 0; round == 0 || round < 100 && missing() != nil; round++ {
		rapid.Check(t, check)
	}
	require.Empty(t, missing(), "in no case: %v", r)
}
