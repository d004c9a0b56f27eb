package main

import (
	encoding "encoding/binary" // binary is a table of functions here
	"os"
	"slices"
)

// counter counts the instructions that an emulated program executes. The plugin in peers/plugin.c writes their number to the
// file before each read of it.
type counter struct{ file *os.File }

func openCounter(path string) (c counter, err error) {
	c.file, err = os.Open(path)
	return c, err
}

func (c counter) executed() (uint64, error) {
	var b [8]byte
	_, err := c.file.ReadAt(b[:], 0)
	return encoding.LittleEndian.Uint64(b[:]), err
}

// measure returns the least and the median number of instructions of three calls of f, without those of reading the counter. Goroutines
// of the runtime, and what only a first call does, add to some calls.
func (c counter) measure(f func() error) (least, median float64, err error) {
	const calls = 3
	of := func(f func() error) (numbers []uint64, err error) {
		for range calls {
			from, err := c.executed()
			if err != nil {
				return nil, err
			}
			if err := f(); err != nil {
				return nil, err
			}
			to, err := c.executed()
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, to-from)
		}
		slices.Sort(numbers)
		return numbers, nil
	}
	empty, err := of(func() error { return nil })
	if err != nil {
		return 0, 0, err
	}
	all, err := of(f)
	if err != nil {
		return 0, 0, err
	}
	return float64(all[0] - empty[0]), float64(all[calls/2] - empty[0]), nil
}
