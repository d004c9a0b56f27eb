package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// Programs over arrays larger than memory, in ranges of blocks of rows. Each range may be computed by its own process,
// as in a job array, and merge completes the job.

// shard computes the blocks of a range.
func (t *tool) shard(ctx context.Context) error {
	if t.rangeOf[1] == 0 {
		return errors.New("which blocks? add -range i/n, 0/1 for all")
	}
	j, err := t.streamJob(ctx)
	if err != nil {
		return err
	}
	return j.Shard(ctx, t.rangeOf[0], t.rangeOf[1])
}

// merge completes a job after all its ranges have been computed.
func (t *tool) merge(ctx context.Context) error {
	if t.ranges == 0 {
		return errors.New("of how many ranges is the job? add -ranges n")
	}
	j, err := t.streamJob(ctx)
	if err != nil {
		return err
	}
	whole, err := j.Merge(ctx, t.ranges)
	if err != nil {
		return err
	}
	for i, out := range j.Program.Outputs() {
		if x := whole[out.Name]; x != nil && i >= len(t.out) {
			fmt.Fprintln(t.stdout, x)
		}
	}
	return nil
}

// streamJob returns the job that the command line describes.
func (t *tool) streamJob(ctx context.Context) (*stream.Job, error) {
	if err := t.checkOut(); err != nil {
		return nil, err
	}
	loaded, err := t.load()
	if err != nil {
		return nil, err
	}
	once, chained := loaded.(*chain)
	if chained {
		loaded = once.run
	}
	p, ok := loaded.(*graph.Program)
	if !ok {
		return nil, t.unfit("program of fixed sizes", "blocks have sizes of their own")
	}
	j := &stream.Job{
		Program: p, Inputs: map[string]stream.Source{}, Outputs: map[string]stream.Sink{},
		State: t.state, Memory: t.budget << 20, Options: t.options(), Progress: t.blocks(),
	}
	for _, in := range t.in {
		if t.captured[in.name].tensor != nil && !slices.ContainsFunc(p.Inputs(), func(p graph.Port) bool { return p.Name == in.name }) {
			continue // the program has it already
		}
		j.Inputs[in.name] = sourceOf(in.file)
	}
	if chained {
		if err := t.once(ctx, j, once); err != nil {
			return nil, err
		}
	}
	outputs := p.Outputs()
	if len(t.out) > len(outputs) {
		return nil, fmt.Errorf("%s for %s", counted(len(t.out), "file"), counted(len(outputs), "output"))
	}
	for i, file := range t.out {
		j.Outputs[outputs[i].Name] = sinkOf(file)
	}
	return j, nil
}

// once computes the values that a job's program computes once from constants. These are whole arrays.
func (t *tool) once(ctx context.Context, j *stream.Job, once *chain) error {
	have := map[string]*graph.Tensor{}
	for _, p := range once.once {
		for _, in := range p.Inputs() {
			i := slices.IndexFunc(t.in, func(n named) bool { return n.name == in.Name })
			if i < 0 || have[in.Name] != nil {
				continue // already computed, or reported as missing
			}
			x, err := readArray(t.in[i].file)
			if err != nil {
				return err
			}
			have[in.Name] = x
			if !slices.ContainsFunc(j.Program.Inputs(), func(p graph.Port) bool { return p.Name == in.Name }) {
				delete(j.Inputs, in.Name)
			}
		}
	}
	if err := once.compute(ctx, have); err != nil {
		return err
	}
	for name, x := range once.made {
		j.Inputs[name] = stream.Memory(x)
	}
	return nil
}

// sourceOf returns the array in a file or folder as a Source.
func sourceOf(name string) stream.Source {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return stream.File(name)
	}
	if _, err := os.Stat(filepath.Join(name, "zarr.json")); err == nil {
		return zarr.From(name)
	}
	return stream.Folder(name)
}

// sinkOf returns a Sink for a name: a file, a Zarr array, or, without a suffix, a folder of files.
func sinkOf(name string) stream.Sink {
	switch {
	case isZarr(name):
		return zarr.To(name, zarr.Options{})
	case filepath.Ext(name) == "":
		return stream.NewFolder(name)
	}
	return stream.NewFile(name)
}

// blocks shows on the terminal the progress over blocks of a run longer than a second.
func (t *tool) blocks() func(stream.Progress) {
	var last time.Duration
	return func(p stream.Progress) {
		if p.Elapsed > quiet && p.Elapsed-last > progressEvery {
			last = p.Elapsed
			fmt.Fprintf(t.stderr, "\r%s ", p)
		}
	}
}

// parseRange reads i/n.
func parseRange(f *flags, text string) error {
	number, count, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(number)
	n, err2 := strconv.Atoi(count)
	if !ok || errors.Join(err, err2) != nil || i < 0 || i >= n {
		return errors.New("write -range i/n, where i is from 0 to n-1")
	}
	f.rangeOf = [2]int{i, n}
	return nil
}
