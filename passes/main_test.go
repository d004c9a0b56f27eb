package passes

import (
	"testing"

	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestMain runs the tests with 30 random cases for each rapid.Check. TestPassKeepsMeaning calls it for each golden file, and other tests in rounds.
func TestMain(m *testing.M) { irtest.Main(m, 30) }
