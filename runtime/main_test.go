package runtime_test

import (
	"testing"

	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestMain has 40 random cases for each rapid.Check: each runs on many executors.
func TestMain(m *testing.M) { irtest.Main(m, 40) }
