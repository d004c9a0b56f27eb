package runtime

import (
	"sync/atomic"
	"time"
)

// The times of the steps of a row group, which run together block by block, and of the calls that only copy elements to where
// others read them. They are measured in some of a task's blocks, and divide the time of the whole task. So all that a run costs more is
// the reading of a clock in these blocks.

// sampledBlocks is about the number of blocks of a part that are measured in a run.
const sampledBlocks = 32

// sample is what the measured blocks of a task took for one of its steps.
type sample struct{ took, copied atomic.Int64 } // nanoseconds; copied is a part of took

// clockNanos is the time that one reading of the clock takes.
var clockNanos = func() int64 {
	least := int64(time.Second)
	for range 64 {
		begun := clock()
		least = min(least, clock()-begun)
	}
	return least
}()

// samplesOf returns the samples of the steps of a task, or nil if nobody asks for times.
func (o *observation) samplesOf(t *task) []sample {
	if o == nil || o.Times == nil {
		return nil
	}
	return o.samples[t.first : t.last+1]
}

// divide divides the time of a task among its steps in proportion to their samples, and empties the samples. If no block was
// measured, the first step gets all of the time.
func (o *observation) divide(t *task, took time.Duration) {
	samples, sum := o.samplesOf(t), int64(0)
	for i := range samples {
		sum += samples[i].took.Load()
	}
	for i := range samples {
		s, part := &samples[i], 0.0
		switch {
		case sum > 0:
			part = float64(took) / float64(sum)
		case i == 0:
			o.took[t.first] += took
		}
		o.took[t.first+i] += time.Duration(part * float64(s.took.Swap(0)))
		o.copied[t.first+i] += time.Duration(part * float64(s.copied.Swap(0)))
	}
}

// sampled reports whether block number k of a part is measured. The distance of measured blocks is odd, so that these are not always the first
// ones of images, say.
func (p *linkedPart) sampled(k int) bool { return k%(p.iterations/sampledBlocks|1) == 0 }

// executeSampled is execute for the items of a part, and adds the times of steps to samples.
func (f *frames) executeSampled(n *loopNest, w *worker, samples []sample) bool {
	for i := 0; i < len(n.items); {
		step, k := n.items[i].step, i
		for k < len(n.items) && n.items[k].step == step {
			k++
		}
		copied, begun := int64(0), clock()
		if !f.executeCopies(n.items[i:k], w, &copied) {
			return false
		}
		s := &samples[step]
		s.took.Add(max(0, clock()-begun-clockNanos))
		s.copied.Add(copied)
		i = k
	}
	return true
}

// executeCopies is execute, and adds to copied the time of calls that only copy.
func (f *frames) executeCopies(items []item, w *worker, copied *int64) bool {
	for i := range items {
		one := loopNest{items: items[i : i+1]}
		switch it := &items[i]; {
		case it.nest != nil && it.nest.copies():
			for l := range it.nest.loops {
				f.begin(&it.nest.loops[l])
			}
			for more := true; more; more = f.advance(it.nest.loops) {
				if !f.executeCopies(it.nest.items, w, copied) {
					return false
				}
			}
		case it.nest == nil && it.copies:
			begun := clock()
			if !f.execute(&one, w) {
				return false
			}
			*copied += max(0, clock()-begun-clockNanos)
		default:
			if !f.execute(&one, w) {
				return false
			}
		}
	}
	return true
}

// copies reports whether some call of a nest only copies.
func (n *loopNest) copies() bool {
	for i := range n.items {
		if it := &n.items[i]; it.nest != nil && it.nest.copies() || it.nest == nil && it.copies {
			return true
		}
	}
	return false
}
