package ir

import "math"

// Tables of constants, from which OpTable reads by an index. An instruction has the name of its
// table, a hash of the entries: text with such instructions means the same in every version.

// TableLen is the number of entries of a table.
const TableLen = 8

var tables = map[uint64]*[TableLen]float32{}

// NewTable adds a table and returns its name. Only initializers of packages call it.
func NewTable(entries [TableLen]float32) uint64 {
	name := uint64(TableLen)
	for _, v := range entries {
		name = Mix(name, uint64(math.Float32bits(v)))
	}
	tables[name] = &entries
	return name
}

// Table returns the entries of the table of a name.
func Table(name uint64) (entries [TableLen]float32, ok bool) {
	if t := tables[name]; t != nil {
		return *t, true
	}
	return entries, false
}

// refTable takes the name of the table behind the operand.
func refTable(_, _ DType, a [3]uint64) uint64 {
	return uint64(math.Float32bits(tables[a[1]][a[0]%TableLen]))
}
