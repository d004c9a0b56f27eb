package ir

import "math"

// Tables of constants, which OpTable reads by an index. An instruction names its table by a hash of the entries, so that its text has the
// same meaning in every version.

// TableLen is the number of entries of a table.
const TableLen = 8

var tables = map[uint64]*[TableLen]float32{}

// NewTable adds a table and returns its name. Only package initializers may call it.
func NewTable(entries [TableLen]float32) uint64 {
	name := uint64(TableLen)
	for _, v := range entries {
		name = Mix(name, uint64(math.Float32bits(v)))
	}
	tables[name] = &entries
	return name
}

// Table returns the entries of the table with a name.
func Table(name uint64) (entries [TableLen]float32, ok bool) {
	if t := tables[name]; t != nil {
		return *t, true
	}
	return entries, false
}

// refTable defines OpTable. The name of the table is the argument behind the operand.
func refTable(_, _ DType, a [3]uint64) uint64 {
	return uint64(math.Float32bits(tables[a[1]][a[0]%TableLen]))
}
