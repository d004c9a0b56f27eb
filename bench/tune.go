package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The flag -tune: constants of package ir/tuning that follow from sizes of caches and from a few times, measured on this machine, beside
// those that plans use. Nothing is changed.

// proposal is a constant, and what it would be on this machine.
type proposal struct {
	name          string
	now, proposed float64
	from          string // the measurement
}

// tune measures and prints a line for each constant.
func tune(stdout io.Writer) error {
	m := new(runtime.Executor).Machine()
	fmt.Fprintf(stdout, "%-22s %12s %12s  measured on %s\n", "ir/tuning", "now", "proposed", abi.Best())
	for _, p := range slices.Concat(caches(m), calls(m)) {
		fmt.Fprintf(stdout, "%-22s %12.6g %12.6g  %s\n", p.name, p.now, p.proposed, p.from)
	}
	fmt.Fprint(stdout, pastCaches(m))
	return nil
}

// caches finds the sizes of the caches by the time of reads that depend on each other.
func caches(m *tuning.Machine) []proposal {
	const smallest, largest = 8 << 10, 128 << 20
	sizes := []int{}
	for size := smallest; size <= largest; size *= 2 {
		sizes = append(sizes, size, size*3/2)
	}
	times := make([]float64, len(sizes))
	for i, size := range sizes {
		times[i] = chase(shuffled(size, 64))
	}
	// The bytes of a cache are the most for which reads take less than twice as long as in its midst. There is that of the next level
	// from four times as many bytes on, which are four sizes further.
	ends, at := [3]float64{}, 0
	for level := range ends {
		for base := times[min(at, len(sizes)-1)]; at < len(sizes) && times[at] < 2*base; at++ {
			ends[level] = float64(sizes[at])
		}
		at += 3
	}
	first, second, last := ends[0], ends[1], ends[2]
	size := func(name string, bytes float64) string {
		return fmt.Sprintf("the %s cache has about %.0f KiB", name, bytes/1024)
	}
	list := []proposal{
		{"PackBytes", float64(m.PackBytes), first / 2, size("first-level", first)},
		{"LaneBytes", float64(m.LaneBytes), first / 2, ""},
		{"WayBytes", float64(m.WayBytes), float64(wayBytes()), "16 lines so far apart evict each other"},
		{"NearBytes", float64(m.NearBytes), second / 2, size("second-level", second)},
		{"Matmul.LeftBytes", float64(m.Matmul.LeftBytes), second / 4, ""},
		{"TransposedBytes", float64(m.TransposedBytes), second / 4, ""},
		{"BlockBytes", float64(m.BlockBytes), 3 * second / 8, ""},
	}
	if last > 0 {
		list = append(list, proposal{"NonTemporalFrom", float64(m.NonTemporalFrom), last / 2, size("last-level", last) + "; see below"})
	}
	return list
}

// shuffled returns lines of memory that are apart bytes from each other, in one cycle: each begins with the index of the next, in a
// random order.
func shuffled(bytes, apart int) []uint32 {
	memory := make([]uint32, bytes/4)
	order := rand.New(rand.NewPCG(1, 2)).Perm(bytes / apart)
	for i, line := range order {
		memory[line*apart/4] = uint32(order[(i+1)%len(order)] * apart / 4)
	}
	return memory
}

// follow reads n lines of a cycle one after the other. Inlined, it would be left out where nothing uses its result.
//
//go:noinline
func follow(memory []uint32, n int) (at uint32) {
	for range n {
		at = memory[at]
	}
	return at
}

// chase returns the time of a read that depends on the one before, in nanoseconds.
func chase(memory []uint32) float64 {
	const reads = 1 << 16
	follow(memory, len(memory)/16) // into the caches
	return least(9, reads, func() { follow(memory, reads) })
}

// wayBytes returns the least power of two so that lines of twice eight ways, which are that far apart, evict each other.
func wayBytes() int {
	near := chase(shuffled(16*64, 64))
	for apart := 512; apart <= 64<<10; apart *= 2 {
		if chase(shuffled(16*apart, apart)) > 1.5*near {
			return apart
		}
	}
	return 0
}

// least returns the least time of several runs, for each of n parts, in nanoseconds.
func least(runs, n int, run func()) float64 {
	best := math.Inf(1)
	for range runs {
		start := time.Now()
		run()
		best = min(best, float64(time.Since(start).Nanoseconds())/float64(n))
	}
	return best
}

// calls measures the time to wake a goroutine, and of calls and rows of kernels.
func calls(m *tuning.Machine) []proposal {
	wake := wakeNanos()
	begin := kernelNanos("kernel (u0:f32) { t0 = neg u0; store t0 }", 1, 1)
	element := kernelNanos("kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }", 1, 1536) / 1536
	addition := element / (m.LoadWork + 1)
	rows := (kernelNanos("kernel (u0:f32) { t0 = neg u0; store t0 }", 192, 8) - kernelNanos("kernel (u0:f32) { t0 = neg u0; store t0 }", 1, 1536)) / 192
	return []proposal{
		{"WakeNanos", m.WakeNanos, wake, "the median of 200 goroutines that wait for a channel"},
		{"WakeWork", m.WakeWork, wake / addition, fmt.Sprintf("an addition takes %.3f ns", addition)},
		{"AssemblyCalls.Begin", m.AssemblyCalls.Begin, begin, "ns: a call for one element"},
		{"RowWork", m.RowWork, rows / addition, fmt.Sprintf("a row of 8 elements takes %.2f ns longer", rows)},
	}
}

// wakeNanos returns the median time from a send on a channel until a goroutine that has waited for it runs.
func wakeNanos() float64 {
	sent, received := make(chan time.Time), make(chan time.Duration)
	go func() {
		for at := range sent {
			received <- time.Since(at)
		}
	}()
	var all []time.Duration
	for range 200 {
		time.Sleep(time.Millisecond) // its thread sleeps too
		sent <- time.Now()
		all = append(all, <-received)
	}
	close(sent)
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds())
}

// kernelNanos returns the time of a call of an elementwise kernel of float32 with dense rows in the first-level cache.
func kernelNanos(signature string, rows, cols int) float64 {
	const repeats = 500
	fn, f := frameOf(signature, rows, cols)
	return least(20, repeats, func() {
		for range repeats {
			fn(f)
		}
	})
}

// frameOf returns a built-in kernel and operands for it.
func frameOf(signature string, rows, cols int) (func(*abi.Frame), *abi.Frame) {
	code, err := kernel.ParseCode(signature)
	fn, _, ok := abi.Find(abi.Best(), signature)
	if err != nil || !ok {
		panic("BUG: bench: no built-in kernel " + signature)
	}
	f := &abi.Frame{Rows: rows, Cols: cols}
	for i := range code.Args() {
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&make([]float32, rows*cols+16)[0]), 4*cols
	}
	return fn, f
}

// pastCaches compares stores past the caches with others, by the size of what is stored.
func pastCaches(m *tuning.Machine) string {
	const add = "kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }"
	text := "an output stored past the caches, beside ordinary stores:"
	for size := 4 << 20; size <= 64<<20; size *= 2 {
		fn, f := frameOf(add, size/4/4096, 4096)
		run := func(past int) float64 {
			f.NonTemporal = past
			return least(1, 1, func() { fn(f) })
		}
		ordinary, past := math.Inf(1), math.Inf(1)
		for range 7 {
			ordinary, past = min(ordinary, run(0)), min(past, run(1))
		}
		text += fmt.Sprintf(" %d MiB %.2f", size>>20, past/ordinary)
	}
	return text + fmt.Sprintf("\nNonTemporalFrom is the least size from which the ratio stays below 1: now %d MiB\n", m.NonTemporalFrom>>20)
}
