package stream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// rowTable records which rows of a file were written. It follows the array: 8 bytes for each row, and 8 for the array
// as a whole. When rows begin to end have been written, the entry of row begin is end. So processes record blocks
// without locks, each in its own place, and missing rows are found. Entries of other rows are holes of the file, which
// take no space.
type rowTable struct {
	at   int64 // offset at which the array ends and the table begins
	rows int
}

const entryBytes = 8

// newRowTable returns the table of an array of a shape that ends at the given offset of the file.
func newRowTable(at int64, shape []int) (rowTable, error) {
	rows := 1
	if len(shape) > 0 {
		rows = shape[0]
	}
	if int64(rows) >= (math.MaxInt64-at)/entryBytes {
		return rowTable{}, fmt.Errorf("%d rows are too many for a file: write a folder", rows)
	}
	return rowTable{at, rows}, nil
}

// size returns the size of the file including the table. A file that ends before the table is complete.
func (t rowTable) size() int64 { return t.at + entryBytes*int64(t.rows+1) }

// complete reports whether the file has no table.
func (t rowTable) complete(f *os.File) (bool, error) {
	info, err := f.Stat()
	return err == nil && info.Size() == t.at, err
}

// note records that rows were written.
func (t rowTable) note(f *os.File, begin, end int) error {
	if done, err := t.complete(f); done || err != nil {
		return err
	}
	_, err := f.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(end)), t.at+entryBytes*int64(begin))
	return err
}

// copy copies the array of a complete file, and records that all rows are written.
func (t rowTable) copy(to, from *os.File, offset int) error {
	n := t.at - int64(offset)
	if _, err := io.Copy(io.NewOffsetWriter(to, int64(offset)), io.NewSectionReader(from, int64(offset), n)); err != nil {
		return err
	}
	return errors.Join(to.Sync(), t.note(to, t.rows, t.rows))
}

// check returns an error that names missing rows between begin and end. A recorded block must not extend beyond end.
func (t rowTable) check(f *os.File, begin, end int) error {
	if done, err := t.complete(f); done || err != nil {
		return err
	}
	if all, err := t.entry(f, t.rows); all > 0 || err != nil {
		return err
	}
	for at := begin; at < end; {
		next, err := t.entry(f, at)
		if err != nil {
			return err
		}
		if next <= at || next > end {
			return fmt.Errorf("%s: the rows from %d on have not been written", f.Name(), at)
		}
		at = next
	}
	return nil
}

func (t rowTable) entry(f *os.File, row int) (int, error) {
	var b [entryBytes]byte
	if _, err := f.ReadAt(b[:], t.at+entryBytes*int64(row)); err != nil {
		return 0, err
	}
	return int(binary.LittleEndian.Uint64(b[:])), nil
}
