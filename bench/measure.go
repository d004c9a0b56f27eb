package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// Result is one line of output: a measurement in the form that the peers'
// benchmark programs print.
type Result struct {
	Peer     string  `json:"peer"`
	Workload string  `json:"workload"`
	Size     string  `json:"size"`
	Threads  int     `json:"threads"`
	Best     float64 `json:"ns_per_call"` // nanoseconds: mean of the best batch
	Median   float64 `json:"ns_median"`   // nanoseconds: mean of the median batch
	Rate     float64 `json:"GBps_or_elems_per_ns,omitempty"`
	Unit     string  `json:"unit,omitempty"`
	Note     string  `json:"note"`

	Instructions *float64 `json:"instructions,omitempty"` // of the call with the fewest, in place of times
}

const (
	leastBatch   = 2 * time.Millisecond
	leastBatches = 5
	leastTotal   = 150 * time.Millisecond
	mostTotal    = 3 * time.Second
)

// once times a single call of f, for the short mode.
func once(f func() error) (best, median float64, err error) {
	start := time.Now()
	err = f()
	ns := float64(time.Since(start).Nanoseconds())
	return ns, ns, err
}

// measure times f: batches of at least 2 ms, at least five of them and 0.15 s
// in all. It returns the best and the median mean time of a call, in
// nanoseconds.
func measure(f func() error) (best, median float64, err error) {
	if err := f(); err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := f(); err != nil {
		return 0, 0, err
	}
	calls := max(1, int(leastBatch/max(1, time.Since(start))))
	var means []float64
	for start = time.Now(); len(means) < leastBatches || time.Since(start) < leastTotal; {
		batch := time.Now()
		for range calls {
			if err := f(); err != nil {
				return 0, 0, err
			}
		}
		means = append(means, float64(time.Since(batch).Nanoseconds())/float64(calls))
		if len(means) >= 3 && time.Since(start) > mostTotal {
			break
		}
	}
	slices.Sort(means)
	return means[0], means[len(means)/2], nil
}

// print writes a result as a line of JSON.
func (r Result) print(w io.Writer) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", line)
	return err
}
