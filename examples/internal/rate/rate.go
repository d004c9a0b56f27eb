// Package rate compares the rate at which an example reads arrays with the limits of the machine's disk and memory.
package rate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/stridefuse/stridefuse/graph"
)

// perSecond returns GB/s.
func perSecond(bytes int, d time.Duration) float64 {
	return float64(bytes) / 1e9 / max(d.Seconds(), 1e-9)
}

// Disk returns the rate of plain reads of files into one buffer, in GB/s. Files written just now are still in memory,
// and are read at the system's rate of copying.
func Disk(files ...string) (float64, error) {
	buffer, total, begun := make([]byte, 1<<20), 0, time.Now()
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		for err == nil {
			var n int
			n, err = f.Read(buffer)
			total += n
		}
		if closed := f.Close(); !errors.Is(err, io.EOF) || closed != nil {
			return 0, errors.Join(err, closed)
		}
	}
	return perSecond(total, time.Since(begun)), nil
}

// Memory returns the rate, in GB/s, of a sum over an array in memory that is larger than all caches.
func Memory(ctx context.Context) (float64, error) {
	x := graph.Ones(graph.Float32, 32<<20)
	in := graph.Input("x", graph.Float32, graph.Dim("n"))
	p, err := graph.Compile(in.Sum())
	if err != nil {
		return 0, err
	}
	if _, err := p.Run(ctx, x); err != nil { // the first run compiles
		return 0, err
	}
	begun := time.Now()
	_, err = p.Run(ctx, x)
	return perSecond(x.Bytes(), time.Since(begun)), err
}

// Print prints the rate at which bytes were read, beside the limits.
func Print(ctx context.Context, w io.Writer, bytes int, took time.Duration, files ...string) error {
	disk, err := Disk(files...)
	if err != nil {
		return err
	}
	memory, err := Memory(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "read %.2f GB at %.2f GB/s; plain reads of the files: %.2f GB/s, a sum in memory: %.2f GB/s\n",
		float64(bytes)/1e9, perSecond(bytes, took), disk, memory)
	return err
}
