//go:build race

package graph_test

// raceEnabled: the race detector makes pools forget, and so runs allocate.
const raceEnabled = true
