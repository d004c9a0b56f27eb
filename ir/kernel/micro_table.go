package kernel

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir"
)

// MicroKind names a row of the table of micro-kernels.
type MicroKind uint8

// The micro-kernels.
const (
	NoMicro        MicroKind = iota
	Pack                     // copies a block whose elements are apart along the columns
	Transpose                // copies a block with its rows and columns exchanged
	Insert                   // copies rows and replaces the element of one column by that of another operand
	StoreNT                  // copies bytes past the caches: non-temporal stores
	Prefetch                 // has the processor read bytes ahead
	Dot                      // multiplies matrices
	DotHalves                // multiplies matrices whose elements are two of 16 bits
	DotBytes                 // multiplies such a matrix by one whose elements are two of 8 bits
	DotWindows               // multiplies a matrix by the windows of channels
	DotLeftWindows           // multiplies the windows of channels by a matrix
	DotBatch                 // multiplies small matrices, one after another
	ScanRows                 // prefix scans along the rows
	Reduce                   // reduces rows
	ReduceColumns            // reduces columns
	Places                   // finds the least or greatest elements of columns
	Gather                   // copies rows by their indices
	GatherReduce             // reduces rows by their indices
	Ragged                   // combines rows of different lengths
	Lookup                   // replaces bytes by the entries of a table
	Scatter                  // stores rows by their indices
	ScatterBytes             // combines rows by their indices, which are bytes
	Sort                     // orders the elements of rows
	Order                    // orders rows, as keys and places
	Merge                    // merges rows that are in order
	Search                   // finds places in rows that are in order
	Leaves                   // walks through binary trees
	Recurrence               // linear recurrences along the rows
	WindowQuantile           // quantiles of windows of the rows
	Nth                      // elements of rows by their places in order
	Rescan                   // the chunks of scans of sums along the rows, where some overflow
	numMicros
)

// microInfo is a row of the table of micro-kernels. It holds everything about one except how a target emits it.
type microInfo struct {
	name    string
	doc     string // the value of element r, c of a block
	has     microParts
	types   ir.DTypes // the types that it is built for, if it has a type
	ops     []ir.Op   // the combiners that it takes
	fields  []string
	written bool // see MicroKind.Written

	time      Time
	inPlace   bool
	wholeRows bool
	fences    bool
	updates   bool   // it leaves some elements of its output unchanged: see ReadsOutput
	adds      Extent // the field that, if not 0, makes it add to its output: see ReadsOutput
	hint      Extent // the field with the distance to the memory that is read next, which may be anywhere: see IsDistance

	args    func(m *Micro) []Arg
	limits  func(m *Micro) []Limit
	meaning func(m *Micro, expanded *Kernel) Reference
	check   func(m *Micro) error                    // checks beyond the other columns
	fit     func(rows, cols int, fields []int) bool // checks of sizes beyond the limits: see CheckSizes
}

// microParts are the fields of a Micro that a row sets.
type microParts struct{ combine, op, dtype, carry, body bool }

// arithmetic are the combiners of scans and of columns.
var arithmetic = []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax}

// errNotNative is the error for a micro-kernel that combines elements of a type that is computed in another.
var errNotNative = errors.New("it combines elements of a type that is computed in another")

// errNoBits is the error for a micro-kernel that copies bits of another type.
var errNoBits = errors.New("it copies unsigned bits: see BitsType")

var bitTypes = ir.SetOf(ir.Uint8, ir.Uint16, ir.Uint32, ir.Int64) // see BitsType

// micros declares every micro-kernel, one row each.
var micros [numMicros]microInfo

func init() {
	micros = [numMicros]microInfo{
		Pack: {name: "pack", doc: "out[r,c] = in[r,c], where the elements of a row of in are across bytes apart",
			has: microParts{dtype: true}, types: bitTypes, fields: []string{"across"}, args: packArgs, meaning: packMeaning,
			time: Time{Unit: Moved}},
		Transpose: {name: "transpose", doc: "out[r,c] = in[c,r], where the elements of a row of in are across bytes apart",
			has: microParts{dtype: true}, types: bitTypes, fields: []string{"across"}, args: transposeArgs, meaning: transposeMeaning,
			time: Time{Unit: Moved}},
		Insert: {name: "insert", doc: "out[r,c] = elem[r] where c is place, and in[r,c] elsewhere",
			has: microParts{dtype: true}, types: bitTypes, fields: []string{"place"}, args: insertArgs, meaning: insertMeaning,
			time: Time{Unit: Moved}, wholeRows: true, fit: insertFit},
		StoreNT: {name: "store_nt", doc: "out[r,c] = in[r,c] by non-temporal stores; no rows make them visible to other processors",
			has: microParts{dtype: true}, types: ir.SetOf(ir.Uint8), args: storeNTArgs, meaning: packMeaning,
			time: Time{Unit: Moved}, fences: true},
		Prefetch: {name: "prefetch", doc: "a hint: so many bytes as there are columns, next bytes behind in, are read soon; it stores nothing",
			has: microParts{dtype: true}, types: ir.SetOf(ir.Uint8), fields: []string{"next"}, hint: Field0, args: prefetchArgs, meaning: prefetchMeaning,
			time: Time{Unit: Moved}},
		Dot:       dotRow("dot", "a[r,k]*b[k,c]", ir.OpDot),
		DotHalves: dotRow("dothalves", "mulhalves(a[r,k], b[k,c])", ir.OpDotHalves),
		DotBytes:  dotBytesRow(),
		DotWindows: {name: "dotwindows", doc: "dot where b[k,c] is element c of tap k of windows: pairs are taps from skip_runs and skip_taps on, of runs, of channels, and a call reads span elements of a channel at most",
			has: microParts{dtype: true}, types: ir.SetOf(ir.Float32), fields: dotWindowsFields, args: dotWindowsArgs, limits: dotWindowsLimits, meaning: dotWindowsMeaning,
			time: Time{Unit: Paired, Times: Field0 + DotPairs}, adds: Field0 + DotAdds, fit: dotWindowsFit},
		DotLeftWindows: {name: "dotleftwindows", doc: "dot where a[r,k] is tap k of window r: windows are step apart in a line, and lines line_step; pairs are those of dotwindows",
			has: microParts{dtype: true}, types: ir.SetOf(ir.Float32), fields: dotLeftWindowsFields, args: dotLeftWindowsArgs, limits: dotLeftWindowsLimits, meaning: dotWindowsMeaning,
			time: Time{Unit: Paired, Times: Field0 + DotPairs}, adds: Field0 + DotAdds, fit: dotLeftWindowsFit},
		DotBatch: {name: "dotbatch", doc: "out[r,c] = element c of the product, of columns columns, of a left and a right matrix, which begin at row r; their rows are left_row and right_row elements apart, the columns of the left one left_pair",
			has: microParts{dtype: true}, types: ir.SetOf(ir.Float32, ir.Float64, ir.Int32), fields: dotBatchFields, args: dotBatchArgs, limits: dotBatchLimits, meaning: dotBatchMeaning,
			time: Time{Unit: Paired, Times: Field0 + DotBatchPairs}, wholeRows: true, fit: dotBatchFit},
		ScanRows: {name: "scan", doc: "out[r,c] = the running value up to in[r,c], from the state of row r on; with a carry, rounded and combined with it",
			has: microParts{op: true, dtype: true, carry: true}, types: ir.Numeric & ir.Native, ops: arithmetic,
			args: scanArgs, limits: scanLimits, meaning: scanMeaning, check: checkScan,
			time: Time{Unit: Computed}, inPlace: true, wholeRows: true},
		Reduce: {name: "reduce", doc: "out[r] = what ir.ReduceRow gives of the body's elements in row r; an output without a combiner is stored",
			has: microParts{combine: true, body: true}, args: reduceArgs, limits: reduceLimits, meaning: reduceMeaning, check: checkReduce,
			time: Time{Unit: Computed}, inPlace: true, wholeRows: true},
		ReduceColumns: {name: "reduce_columns", doc: "out[r,c] = what ir.ReduceRow gives of the body's elements i from 0 to length: [i,c] of unit operands, [r,i] of splats",
			has: microParts{op: true, body: true}, ops: arithmetic, fields: []string{"length"},
			args: columnArgs, limits: columnLimits, meaning: columnMeaning, check: checkReduceColumns,
			time: Time{Unit: Computed, Times: Field0}},
		Places: {name: "places", doc: "out[r,c] = where ir.ReduceRow finds an element among in[i,c] for i from 0 to length, and best[r,c] = that element",
			has: microParts{op: true, dtype: true}, types: ir.Numeric&ir.Native | ir.SetOf(ir.Int8, ir.Int16, ir.Uint16), ops: placeOps, fields: []string{"length"}, written: true, args: placesArgs, limits: placesLimits, meaning: placesMeaning,
			time: Time{Unit: Computed, Times: Field0}},
		Gather: {name: "gather", doc: "out[r,c] = in[index[r],c]; in has extent rows",
			has: microParts{dtype: true}, types: bitTypes, fields: []string{"extent"}, written: true, args: gatherArgs, meaning: gatherMeaning,
			time: Time{Unit: Computed, Indexed: true}},
		GatherReduce: {name: "gather_reduce", doc: "out[r,c] = what ir.ReduceRow gives of the elements in[index[r,i],c] for i from 0 to length, or their products with weights[r,i]; in has extent rows, and work is 32",
			has: microParts{op: true, dtype: true}, types: ir.Numeric & ir.Native, ops: gatherOps, fields: []string{"extent", "length", "across", "work", "across_weights"}, written: true, args: gatherReduceArgs, limits: gatherReduceLimits, meaning: gatherReduceMeaning,
			time: Time{Unit: Selected, Times: Field0 + 1, Indexed: true}},
		Ragged: {name: "ragged", doc: "out[r,c] = the elements in[i,c] for i from begin[r] to end[r], or products weights[i]*in[index[i],c], combined in their order; in has extent rows, and there are so many offsets, indices of count, and length elements in a row, about",
			has: microParts{op: true, dtype: true}, types: ir.Numeric & ir.Native, ops: raggedOps, fields: []string{"extent", "offsets", "count", "length"}, written: true, args: raggedArgs, limits: raggedLimits, meaning: raggedMeaning,
			time: Time{Unit: Computed, Times: Field0 + 3, Indexed: true}},
		Lookup: {name: "lookup", doc: "out[r,c] = table[r,in[r,c]], where the bits of in are a number from 0 to 255; entries is 256",
			has: microParts{dtype: true}, types: bitTypes, fields: []string{"across", "across_out", "entries"}, args: lookupArgs, limits: lookupLimits, meaning: lookupMeaning,
			time: Time{Unit: Computed}, inPlace: true},
		Scatter: {name: "scatter", doc: "out[index[r],c] = in[r,c], or what is there combined with it, row after row; out has extent rows",
			has: microParts{op: true, dtype: true}, types: bitTypes | ir.Numeric&ir.Native, ops: scatterOps, fields: []string{"extent"}, written: true, args: scatterArgs, meaning: scatterMeaning, check: checkScatter,
			time: Time{Unit: Computed, Indexed: true}, updates: true},
		ScatterBytes: {name: "scatter_bytes", doc: "out[index[r],c] = what is there combined with in[r,c], row after row; out has extent rows",
			has: microParts{op: true, dtype: true}, types: ir.Numeric & ir.Native, ops: combiningOps, fields: []string{"extent"}, written: true, args: scatterArgs, meaning: scatterMeaning, check: checkScatter,
			time: Time{Unit: Computed, Indexed: true}, updates: true},
		Sort: {name: "sort", doc: "out[r,c] = the element, or its place, that is number c of row r of in once that is ordered; in has length columns, out no more",
			has: microParts{op: true, dtype: true}, types: ir.AllTypes & ir.Native, ops: sortOps, fields: []string{"across", "across_out", "length"}, written: true, args: sortArgs, limits: sortLimits, fit: sortFit, meaning: sortMeaning,
			time: Time{Unit: Computed, Times: Field0 + 2, PerRow: true, Stops: true}, wholeRows: true},
		Order: {name: "order", doc: "out[r,c] = the key, with the place, of the element that is number c of row r of in once that is ordered; in has length columns, out no more",
			has: microParts{op: true, dtype: true}, types: ir.AllTypes & ir.Native, ops: sortOps, fields: []string{"across", "length"}, written: true, args: orderArgs, limits: orderLimits, fit: orderFit, meaning: orderMeaning,
			time: Time{Unit: Computed, Times: Field0 + 1, PerRow: true, Stops: true}, wholeRows: true},
		Merge: {name: "merge", doc: "out[r,c] = the element, or its place, that is number at[r]*block+c of a line of elems once its runs are merged; each has run of them, the last one the rest, of span elements of the line",
			has: microParts{op: true, dtype: true}, types: ir.AllTypes & ir.Native, ops: sortOps, fields: []string{"across_out", "elems", "run", "span", "block", "bounds"}, written: true, args: mergeArgs, limits: mergeLimits, fit: mergeFit, meaning: mergeMeaning,
			time: Time{Unit: Computed}, wholeRows: true},
		Search: {name: "search", doc: "out[r,c] = where the op inserts y[r,c] in row r of in, which has extent columns",
			has: microParts{op: true, dtype: true}, types: ir.AllTypes & ir.Native, ops: searchOps, fields: []string{"extent", "across", "across_y", "across_out"}, written: true, args: searchArgs, limits: searchLimits, meaning: searchMeaning,
			time: Time{Unit: Computed, Indexed: true}},
		Leaves: {name: "leaves", doc: "out[r,c] = the node at which the walk from roots[r,c] through the trees of row r of nodes ends, by the elements of row r of in; in has features columns, nodes words",
			has: microParts{op: true, dtype: true}, types: ir.OpLeaves.Info().Domain, ops: leavesOps, fields: []string{"features", "across", "words", "across_nodes", "across_roots", "across_out", "work"}, written: true, args: leavesArgs, limits: leavesLimits, meaning: leavesMeaning,
			time: Time{Unit: Computed, Indexed: true, Stops: true}},
		Recurrence: {name: "recurrence", doc: "out[r,c] = a[r,c]*out[r,c-1] + in[r,c], from before[r] in place of the first out[r,c-1] on; after[r] is the last; the product is rounded",
			has: microParts{dtype: true}, types: ir.OpRecurrence.Info().Domain, fields: []string{"across", "across_a", "across_out"}, written: true, args: recurrenceArgs, limits: recurrenceLimits, meaning: recurrenceMeaning,
			time: Time{Unit: Computed}, wholeRows: true},
		WindowQuantile: {name: "window_quantile", doc: "out[r,c] = what the op gives of window c of row r of in and the place y[r,c]; in has length columns, and windows have those that columns leave",
			has: microParts{dtype: true}, types: ir.OpWindowQuantile.Info().Domain, fields: []string{"length", "across", "across_y", "across_out", "work"}, written: true, args: windowQuantileArgs, limits: windowQuantileLimits, fit: windowQuantileFit, meaning: windowQuantileMeaning,
			time: Time{Unit: Computed}, wholeRows: true},
		Nth: {name: "nth", doc: "out[r,c] = the element of row r of in that has the place y[r,c] once that is ordered, or the nearest place; in has length columns",
			has: microParts{dtype: true}, types: ir.AllTypes & ir.Native, fields: []string{"length", "across", "across_y", "across_out", "work"}, written: true, args: nthArgs, limits: nthLimits, fit: nthFit, meaning: nthMeaning,
			time: Time{Unit: Computed, Times: nthLine, PerRow: true}, wholeRows: true},
		Rescan: {name: "rescan", doc: "out[r,c] and after[r] = what ir.Rescan gives for the line in[r], of chunks as ir.ScanLine says, with the carries before[r,k], if one of chunks last[r,k] is not finite; else they stay",
			has: microParts{dtype: true}, types: ir.Floats & ir.Native, fields: []string{"across", "across_last", "across_out", "chunks"}, written: true, args: rescanArgs, meaning: rescanMeaning,
			time: Time{Unit: Computed}, updates: true, wholeRows: true},
	}
	CopyNT, _ = Canonical(&Micro{Kind: StoreNT, Type: ir.Uint8})
	ReadAhead, _ = Canonical(&Micro{Kind: Prefetch, Type: ir.Uint8})
}

// CopyNT is the micro-kernel that copies bytes past the caches. A call of it for no rows is the fence of all calls that store past
// the caches.
var CopyNT Code

// ReadAhead is the micro-kernel that prefetches.
var ReadAhead Code

// dotBytesRow returns the row of DotBytes, whose right operand is always in panels.
func dotBytesRow() microInfo {
	row := dotRow("dotbytes", "mulhalves(a[r,k], halves(b[k,c]))", ir.OpDotBytes)
	row.fields = append(row.fields, "width")
	row.args = func(m *Micro) []Arg {
		args := dotArgs(m)
		args[1].DType, args[1].Inner = ir.Int16, Field0+DotWidth
		return args
	}
	row.limits = func(m *Micro) []Limit {
		return append(dotLimits(m), Limit{Extent: Field0 + DotWidth, Least: DotBytesWidth, Most: DotBytesWidth})
	}
	return row
}

// dotRow returns the row of the products of an op.
func dotRow(name, multiply string, op ir.Op) microInfo {
	return microInfo{name: name, doc: "out[r,c] = the sum of " + multiply + " over all pairs k, added to out[r,c] if adds is not 0; next is a prefetch hint: the bytes from b to the part of it that the next call reads",
		has: microParts{dtype: true}, types: op.Info().Domain & ir.Native, fields: []string{"across", "pairs", "adds", "next"},
		args: dotArgs, limits: dotLimits, meaning: dotMeaning(op),
		time: Time{Unit: Paired, Times: Field0 + DotPairs}, adds: Field0 + DotAdds, hint: Field0 + DotNext}
}
