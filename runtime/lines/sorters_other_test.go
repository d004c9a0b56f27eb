//go:build !amd64 || purego

package lines

var bestSorters = portableSorters
