//go:build race

package graph_test

// raceEnabled: the race detector makes pools drop memory, so runs allocate.
const raceEnabled = true
