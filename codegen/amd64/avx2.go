package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

var avx2 lazy

// AVX2 returns the target that emits every kernel for amd64 with AVX2 and FMA.
func AVX2() *Target { return avx2.get(newAVX2) }

func newAVX2() *Target {
	return &Target{
		name: "avx2", engine: "AVX2",
		m:     avx2Machine,
		forms: forms{}.add(nil, commonForms).add(nil, avx2Forms),
		table: newTable(),
		style: vectorMasks{},
		// avo says MMX+ for prefetches.
		extensions: extensions("MMX+ SSE SSE2 AVX AVX2 FMA3 F16C CMOV BMI BMI2"),
		special: map[string]instWriter{
			"MASKLOADPS": maskLoad("VMASKMOVPS"), "MASKLOADPD": maskLoad("VMASKMOVPD"),
			"MASKSTOREPS": maskStore("VMASKMOVPS"), "MASKSTOREPD": maskStore("VMASKMOVPD"),
			"VMOVQ":            func(n *nest, i *vector.Inst) { n.do("VMOVQ", x(i.Src[0].Index), mem(n.element(i.Place))) },
			"STOREHALF":        storeHalf,
			"NARROWLOAD":       (*nest).narrowLoad,
			"NARROWSTORE":      (*nest).narrowStore,
			"GROUPMASK":        (*nest).groupMask,
			"GROUPLOAD":        (*nest).groupLoad,
			"GROUPSTORE":       (*nest).groupStore,
			vector.OpCold.Name: (*nest).testVectors,
			vector.OpMask.Name: (*nest).maskVector,
		},
	}
}

// avx2Machine has the registers of AVX2. The tuning was measured on Zen 3: ByTwo and ByFour on 49 elementary functions of float32
// and float64, whose times are 0.87 and 0.72 (geometric means); with 0.70 the functions take 1.014 times the time of the best order
// of each, with 0.79 1.05 times. ByList was measured on formulas of several functions, whose time was 0.75 to 0.9 of that of
// two copies, and on one of four divisions, where it was 1.1.
var avx2Machine = &vector.Machine{
	Width:     32,
	Lane:      4,
	Registers: 16,
	Working:   4,
	Tuning: vector.Tuning{
		// A body with less work waits for memory. In one with two vectors for each value the
		// CPU finds enough independent instructions without a second copy.
		Unroll: 4, UnrollWide: 40,
		ListOrder: 36, // in longer bodies the CPU does not find the instructions of the next step
		ByTwo:     0.87, ByFour: 0.70, ByList: 0.65,
		LoopEnd:       3,
		UnrollReduced: 24, // from there on rotating accumulators are as fast
		ColdInputs:    8,
	},
}

// vectorBytes is the size of n vectors in memory.
func vectorBytes(n int) int { return avx2Machine.Width * n }

// maskLoad loads the elements that a mask has.
func maskLoad(name string) instWriter {
	return func(n *nest, i *vector.Inst) {
		n.do(name, mem(n.element(i.Place)), y(i.Src[0].Index), y(i.Dst))
	}
}

// maskStore stores a whole vector without the mask: a masked store takes a Zen 3 twelve cycles. Rows of 14 or 28 elements
// have one whole and one partial vector in the tail.
func maskStore(name string) instWriter {
	return func(n *nest, i *vector.Inst) {
		to := n.element(i.Place)
		if !n.b.WholeTails() {
			n.do(name, y(i.Src[1].Index), y(i.Src[0].Index), mem(to))
			return
		}
		partial, stored := n.fresh("partial"), n.fresh("stored")
		n.do("LEAQ", mem(at(index, n.lanes())), gp(cx))
		n.do("CMPQ", gp(cx), gp(cols))
		n.do("JGT", label(partial))
		n.do("VMOVUPS", y(i.Src[1].Index), mem(to))
		n.do("JMP", label(stored))
		n.here(partial)
		n.do(name, y(i.Src[1].Index), y(i.Src[0].Index), mem(to))
		n.here(stored)
	}
}

// storeHalf stores the lower half of a vector.
func storeHalf(n *nest, i *vector.Inst) {
	n.do("VMOVUPS", half(i.Src[0].Index), mem(n.element(i.Place)))
}

// micros emits each micro-kernel but reduce, which has a body: see assemblers. It is an array because init functions make maps.
var micros = [...]func(t *Target, m *kernel.Micro) (*Program, error){
	kernel.Pack:           func(_ *Target, m *kernel.Micro) (*Program, error) { return compilePack(m), nil },
	kernel.Transpose:      func(_ *Target, m *kernel.Micro) (*Program, error) { return compileTranspose(m), nil },
	kernel.Insert:         func(_ *Target, m *kernel.Micro) (*Program, error) { return compileInsert(m), nil },
	kernel.Lookup:         func(_ *Target, m *kernel.Micro) (*Program, error) { return compileLookup(m), nil },
	kernel.StoreNT:        func(*Target, *kernel.Micro) (*Program, error) { return compileStoreNT(), nil },
	kernel.Prefetch:       func(_ *Target, m *kernel.Micro) (*Program, error) { return compilePrefetch(m), nil },
	kernel.Dot:            func(t *Target, m *kernel.Micro) (*Program, error) { return compileDot(t.dot(), m), nil },
	kernel.DotWindows:     func(t *Target, m *kernel.Micro) (*Program, error) { return compileDot(t.dot(), m), nil },
	kernel.DotLeftWindows: func(t *Target, m *kernel.Micro) (*Program, error) { return compileDot(t.dot(), m), nil },
	kernel.DotBytes:       func(t *Target, m *kernel.Micro) (*Program, error) { return compileDot(t.dot(), m), nil },
	kernel.DotHalves:      func(t *Target, m *kernel.Micro) (*Program, error) { return compileDot(t.dot(), m), nil },
	kernel.DotBatch:       func(_ *Target, m *kernel.Micro) (*Program, error) { return compileDotBatch(m), nil },
	kernel.ScanRows:       func(_ *Target, m *kernel.Micro) (*Program, error) { return compileScan(m), nil },
	kernel.ReduceColumns:  compileReduceColumns,
}
