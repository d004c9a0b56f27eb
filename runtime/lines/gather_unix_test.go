//go:build unix

package lines

import (
	"bytes"
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestGatherBetweenPages copies rows of all lengths up to some vectors, whose table, indices and
// output each begin at a page or end at one, beside pages without access. There are more rows than are
// prefetched before they are copied, of a table that pretends to be near or far.
func TestGatherBetweenPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const rows, extent, most = 30, 17, 300
	table, at, out := betweenPages(t, extent*most), betweenPages(t, rows*8), betweenPages(t, rows*most)
	for i := range table {
		table[i] = byte(i*i + 7*i)
	}
	for _, d := range kernel.Gather.Types().List() {
		m, size := &kernel.Micro{Kind: kernel.Gather, Type: d}, d.Size()
		for cols := 1; cols*size <= most; cols++ {
			row := cols * size
			for _, end := range []bool{false, true} {
				place := func(mem []byte, n int) []byte {
					if end {
						return mem[len(mem)-n:]
					}
					return mem[:n]
				}
				from, index, to := place(table, extent*row), place(at, rows*8), place(out, rows*row)
				var want []byte
				for r := range rows {
					i := r * 5 % extent // row 0, and the last one
					*(*int64)(unsafe.Pointer(&index[r*8])) = int64(i)
					want = append(want, from[i*row:][:row]...)
				}
				for e := range abi.Best() + 1 {
					fn, ok := abi.Lookup(e, m.Signature())
					for _, claimed := range []int{extent, farRows} {
						if !ok {
							continue
						}
						clear(to)
						f := &abi.Frame{Rows: rows, Cols: cols}
						f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&from[0]), unsafe.Pointer(&index[0]), unsafe.Pointer(&to[0])
						f.Step[0], f.Step[1], f.Step[2], f.Step[3] = row, 8, row, claimed
						fn(f)
						require.True(t, bytes.Equal(want, to), "%s of %d columns on %s", d, cols, e)
					}
				}
			}
		}
	}
}

// TestGatherReduceBetweenPages adds up rows of all lengths up to some vectors, in the same places; the
// memory to work in is beside such pages too, and so are weights, which are 1.
func TestGatherReduceBetweenPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const rows, extent, most = 5, 17, 300
	lengths := []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 21, 32, 33, 40, 65}
	table, at, out, used := betweenPages(t, extent*most), betweenPages(t, rows*8*65), betweenPages(t, rows*most), betweenPages(t, kernel.GatherRows*most)
	factors := betweenPages(t, rows*8*65)
	for _, m := range []*kernel.Micro{{Op: ir.OpGatherAdd, Type: ir.Int16}, {Op: ir.OpGatherAdd, Type: ir.Float32}, {Op: ir.OpGatherAdd, Type: ir.Float64}, {Op: ir.OpGatherMulAdd, Type: ir.Float32}, {Op: ir.OpGatherMulAdd, Type: ir.Float64}} {
		m.Kind = kernel.GatherReduce
		d, size, o := m.Type, m.Type.Size(), gatherOut(m.Op.Info())
		number := func(n int) uint64 { return ir.Defined.Cast(ir.Int64, d, uint64(n)) }
		for cols := 1; cols*size <= most; cols++ {
			row, length := cols*size, lengths[cols%len(lengths)]
			for _, end := range []bool{false, true} {
				place := func(mem []byte, n int) []byte {
					if end {
						return mem[len(mem)-n:]
					}
					return mem[:n]
				}
				from, index, to, work := place(table, extent*row), place(at, rows*8*length), place(out, rows*row), place(used, kernel.GatherRows*row)
				weights := place(factors, rows*size*length)
				for i := range rows * length {
					putBits(unsafe.Pointer(&weights[i*size]), size, number(1))
				}
				for i := range extent * cols {
					putBits(unsafe.Pointer(&from[i*size]), size, number(i%50))
				}
				want := make([]byte, rows*row)
				for r := range rows {
					for c := range cols {
						sum := 0
						for i := range length {
							k := (r + 5*i) % extent // row 0, and the last one
							*(*int64)(unsafe.Pointer(&index[(r*length+i)*8])) = int64(k)
							sum += (k*cols + c) % 50
						}
						putBits(unsafe.Pointer(&want[r*row+c*size]), size, number(sum))
					}
				}
				for e := range abi.Best() + 1 {
					fn, ok := abi.Lookup(e, m.Signature())
					for _, claimed := range []int{extent, farRows} {
						if !ok {
							continue
						}
						clear(to)
						f := &abi.Frame{Rows: rows, Cols: cols}
						f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&from[0]), unsafe.Pointer(&index[0]), unsafe.Pointer(&weights[0])
						f.Step[0], f.Step[1], f.Step[2] = row, 8*length, size*length
						f.Ptr[o], f.Ptr[o+1], f.Step[o], f.Step[o+1] = unsafe.Pointer(&to[0]), unsafe.Pointer(&work[0]), row, row
						f.Step[o+2], f.Step[o+3], f.Step[o+4], f.Step[o+5], f.Step[o+6] = claimed, length, 8, kernel.GatherRows, size
						fn(f)
						require.True(t, bytes.Equal(want, to), "%s of %d columns, %d indices on %s", d, cols, length, e)
					}
				}
			}
		}
	}
}

// TestRaggedBetweenPages adds up products in the same places. There are more of them than are prefetched before they
// are added.
func TestRaggedBetweenPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const extent, most = 17, 300
	offsets := []int64{0, 1, 1, 20, 23, 40}
	rows, count := len(offsets)-1, int(offsets[len(offsets)-1])
	table, at, factors, out := betweenPages(t, extent*most), betweenPages(t, count*8), betweenPages(t, count*8), betweenPages(t, rows*most)
	for _, d := range []ir.DType{ir.Int16, ir.Float32, ir.Float64} {
		m, size := &kernel.Micro{Kind: kernel.Ragged, Op: ir.OpRaggedMulAdd, Type: d}, d.Size()
		number := func(n int) uint64 { return ir.Defined.Cast(ir.Int64, d, uint64(n)) }
		for cols := 1; cols*size <= most; cols++ {
			row := cols * size
			for _, end := range []bool{false, true} {
				place := func(mem []byte, n int) []byte {
					if end {
						return mem[len(mem)-n:]
					}
					return mem[:n]
				}
				from, index, weights, to := place(table, extent*row), place(at, count*8), place(factors, count*size), place(out, rows*row)
				for i := range extent * cols {
					putBits(unsafe.Pointer(&from[i*size]), size, number(i%50))
				}
				sums := make([]int, rows*cols)
				for r := range rows {
					for i := int(offsets[r]); i < int(offsets[r+1]); i++ {
						k := 5 * i % extent // row 0, and the last one
						*(*int64)(unsafe.Pointer(&index[i*8])) = int64(k)
						putBits(unsafe.Pointer(&weights[i*size]), size, number(i%3))
						for c := range cols {
							sums[r*cols+c] += i % 3 * ((k*cols + c) % 50)
						}
					}
				}
				want := make([]byte, rows*row)
				for i, sum := range sums {
					putBits(unsafe.Pointer(&want[i*size]), size, number(sum))
				}
				for e := range abi.Best() + 1 {
					fn, ok := abi.Lookup(e, m.Signature())
					for _, claimed := range []int{extent, farRows} {
						if !ok {
							continue
						}
						clear(to)
						f := &abi.Frame{Rows: rows, Cols: cols}
						f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Ptr[3] = unsafe.Pointer(&from[0]), unsafe.Pointer(&offsets[0]), unsafe.Pointer(&offsets[0]), unsafe.Pointer(&offsets[1])
						f.Ptr[4], f.Ptr[5], f.Ptr[6] = unsafe.Pointer(&index[0]), unsafe.Pointer(&weights[0]), unsafe.Pointer(&to[0])
						f.Step[0], f.Step[1], f.Step[2], f.Step[3], f.Step[4], f.Step[5], f.Step[6] = row, 8, 8, 8, 8, size, row
						f.Step[7], f.Step[8], f.Step[9], f.Step[10] = claimed, rows+1, count, count/rows
						fn(f)
						require.True(t, bytes.Equal(want, to), "%s of %d columns on %s", d, cols, e)
					}
				}
			}
		}
	}
}

// betweenPages returns whole pages of memory, of so many bytes at least, between two without access.
func betweenPages(t *testing.T, n int) []byte {
	page := os.Getpagesize()
	n = (n + page - 1) / page * page
	all, err := unix.Mmap(-1, 0, n+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(all)) })
	require.NoError(t, unix.Mprotect(all[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(all[page+n:], unix.PROT_NONE))
	return all[page : page+n]
}
