package amd64

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// The constants of kernels. A constant is a symbol, and its name says what it contains:
//
//	c and 16 hex digits          8 bytes, repeated to a vector unless the target's instructions broadcast them
//	v and 16 hex digits          8 bytes, repeated to a vector
//	s and 16 and more hex digits the masks of shuffles: 16 bytes, repeated to a vector
//	t and 16 hex digits          a lookup table (ir.Table), repeated to a vector
//	i and four numbers           the mask of a vector of interleaved rows: see spread
//	masks                        see maskTable

// constantName names a constant as wide as the target's instructions read it: a vector, or 8 bytes if they broadcast.
// wideName names a whole vector, and tableName a vector filled by a table.
func constantName(bits uint64) string { return fmt.Sprintf("c%016x", bits) }
func wideName(bits uint64) string     { return fmt.Sprintf("v%016x", bits) }
func tableName(table uint64) string   { return fmt.Sprintf("t%016x", table) }

// Words returns the contents of the constant that a symbol names.
func (t *Target) Words(name string) []uint64 {
	switch {
	case name == maskTable:
		return append(repeated(t.m.Width/4, ^uint64(0)), make([]uint64, t.m.Width/4)...)
	case name[0] == 't':
		return t.tableWords(name)
	case name[0] == 'i':
		words := spreadNamed(name).words()
		return words[:]
	}
	var first, second uint64
	fmt.Sscanf(name[1:], "%16x", &first)
	switch {
	case name[0] == 's':
		fmt.Sscanf(name[17:], "%x", &second)
		return repeated(t.m.Width/8, first, second)
	case name[0] == 'c' && t.broadcasts:
		return []uint64{first}
	}
	return repeated(t.m.Width/8, first)
}

// repeated returns n words, which repeat the given ones.
func repeated(n int, words ...uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = words[i%len(words)]
	}
	return out
}

// tableWords returns the entries of a table, two in each word, repeated up to the width of a vector.
func (t *Target) tableWords(symbol string) []uint64 {
	var name uint64
	fmt.Sscanf(symbol[1:], "%16x", &name)
	entries, _ := ir.Table(name)
	out := make([]uint64, t.m.Width/8)
	for i := range out {
		low, high := entries[2*i%len(entries)], entries[(2*i+1)%len(entries)]
		out[i] = uint64(math.Float32bits(high))<<32 | uint64(math.Float32bits(low))
	}
	return out
}
