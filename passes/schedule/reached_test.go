package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// reached counts in how many random cases something was tested.
type reached map[string]int

// checkAll checks random cases, in rounds, until each of the names is in one of them: the rare
// ones are missing from one round in a hundred.
func (r reached) checkAll(t *testing.T, names []string, check func(*rapid.T)) {
	missing := func() (list []string) {
		for _, name := range names {
			if r[name] == 0 {
				list = append(list, name)
			}
		}
		return list
	}
	for round := 0; round == 0 || round < 8 && missing() != nil; round++ {
		rapid.Check(t, check)
	}
	require.Empty(t, missing(), "in no case: %v", r)
}
