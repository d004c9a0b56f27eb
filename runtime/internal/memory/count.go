package memory

import (
	"fmt"
	"math"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
)

// Memory is counted before it is used. The system hands out pages at the first write and kills the process when none
// are left, and Go ends a process whose heap cannot grow. So each request is compared with the size of the heap,
// written or not, and with what the system has left. Reading both takes tens of microseconds, so small requests are
// added up first.

// lookBytes is the sum of requests between two looks.
const lookBytes = 16 << 20

var (
	counting sync.Mutex   // held during a look and the reservation that follows
	unseen   atomic.Int64 // bytes requested since the last look
	reserved atomic.Int64 // bytes of reservations that are not allocated yet
	freeRun  foundRun     // guarded by counting
)

// A Reservation is memory that has been counted but not allocated yet. A run reserves all its memory at once, so that
// runs that do not fit together fail before they begin. The zero Reservation reserves nothing.
type Reservation struct{ left int64 }

// Reserve counts n bytes, or returns an error that says how much memory there is. The caller calls Release once it has
// allocated them.
func Reserve(n int) (Reservation, error) {
	if n == 0 {
		return Reservation{}, nil
	}
	if n < 0 || n > math.MaxInt-2*Alignment-hugePage {
		return Reservation{}, fmt.Errorf("%d bytes can't be allocated", n)
	}
	if n < lookBytes && unseen.Add(int64(n)) < lookBytes { // large requests are not added up: a refused one would stay in the sum
		return Reservation{}, nil
	}
	counting.Lock()
	defer counting.Unlock()
	room := memoryRoom()
	if err := checkMemory(n, room-reserved.Load()); err != nil {
		return Reservation{}, err
	}
	if err := freeRun.check(int64(n) + reserved.Load()); err != nil {
		return Reservation{}, err
	}
	makeHeadroom(room)
	unseen.Store(0)
	reserved.Add(int64(n))
	return Reservation{int64(n)}, nil
}

// Release ends the reservation.
func (r *Reservation) Release() { r.take(r.left) }

// take removes n bytes, or what is left, from the reservation: they are now in the heap.
func (r *Reservation) take(n int64) {
	if n = min(n, r.left); n != 0 { // small requests are not counted in reserved
		r.left -= n
		reserved.Add(-n)
	}
}

// checkMemory returns an error if the Go heap can't grow by nbytes within room.
func checkMemory(nbytes int, room int64) error {
	if room == unknownMemory || int64(nbytes) <= room-heapBytes() {
		return nil
	}
	dropAll()
	goruntime.GC() // the excess may be garbage
	if held := heapBytes(); int64(nbytes) > room-held {
		return fmt.Errorf("%s asked, but of the %s of memory there is, %s are in use",
			byteCount(int64(nbytes)), byteCount(max(room, 0)), byteCount(held))
	}
	return nil
}

// unknownMemory stands for a size that can't be read: it limits nothing.
const unknownMemory int64 = math.MaxInt64

// memoryRoom returns the bytes that this process's Go heap may grow to: within what the system has, Go's own limit, and
// the address space of a 32-bit machine.
func memoryRoom() int64 {
	room := min(systemRoom(), debug.SetMemoryLimit(-1))
	if strconv.IntSize == 32 || goruntime.GOARCH == "wasm" {
		room = min(room, narrowSpace)
	}
	return max(room, 0)
}

// narrowSpace is the largest heap on a 32-bit machine: half of the addresses, since the rest is partly taken and
// fragmented.
const narrowSpace = 2 << 30

// heapBytes returns the bytes of all objects in the Go heap, without the headroom, which has no memory.
func heapBytes() int64 { return metric("/memory/classes/heap/objects:bytes") - headroomSize() }

const (
	live           = "/gc/heap/live:bytes"                 // bytes that the last collection has found alive
	collectPercent = "/gc/gogc:percent"                    // GOGC, -1 as int64 if it is off
	released       = "/memory/classes/heap/released:bytes" // free bytes given back to the system
	allocated      = "/gc/heap/allocs:bytes"               // bytes allocated since the process began
)

// metric reads one of Go's metrics, 0 if this version of Go lacks it.
func metric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// byteCount formats n exactly and, if it is large, also in binary units.
func byteCount(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	size, unit := float64(n), -1
	for size >= 1024 && unit < len("KMGTPE")-1 {
		size /= 1024
		unit++
	}
	return fmt.Sprintf("%d bytes (%.1f %ciB)", n, size, "KMGTPE"[unit])
}
