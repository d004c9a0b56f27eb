package graph_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestMain runs the tests with 30 random cases for each rapid.Check. The package has about fifty of these, and a case compiles several programs.
func TestMain(m *testing.M) { irtest.Main(m, 30) }

// checkUntil tries rounds of random cases until they have reached what they count, five at most.
func checkUntil(t *testing.T, reached func() bool, check func(*rapid.T)) {
	for round := 0; round == 0 || round < 5 && !reached(); round++ {
		rapid.Check(t, check)
	}
}
