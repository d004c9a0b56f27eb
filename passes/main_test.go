package passes

import (
	"testing"

	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestMain has 30 random cases for each rapid.Check: TestPassKeepsMeaning has one for each golden file, and others run in rounds.
func TestMain(m *testing.M) { irtest.Main(m, 30) }
