package runtime_test

import (
	"testing"

	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestMain runs the tests with 40 random cases for each rapid.Check. Each case runs on many executors.
func TestMain(m *testing.M) { irtest.Main(m, 40) }
