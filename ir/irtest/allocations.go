package irtest

import (
	"math"
	"testing"
)

// Allocations returns how many objects a call of f allocates: the least of five averages over runs, because collections and
// the trims of kept memory, which happen beside f once a second, allocate too. An allocation of f itself is in each
// average.
func Allocations(runs int, f func()) float64 {
	least := math.Inf(1)
	for range 5 {
		if least = min(least, testing.AllocsPerRun(runs, f)); least == 0 {
			break
		}
	}
	return least
}
