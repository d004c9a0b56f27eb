package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// The journal of a job records complete blocks. Each range of blocks has a file, with one line per entry: a checksum
// and JSON. An incomplete line is ignored. Entries are only appended, so a killed process leaves a journal of the
// blocks it completed.

// entry records a complete block.
type entry struct {
	Pass, Block int
	Outputs     []uint32 // checksums of the block in each output that the pass writes
	Parts       uint32   // checksum of the file of parts
	States      uint32   // checksum of the file of states after the block
}

// head is the first entry of a journal.
type head struct{ Job string }

// castagnoli is the CRC polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

func tensorSum(t *graph.Tensor) uint32 { return checksum(binfile.Memory(t)) }

// journal is the journal of a range, in a folder. Without a folder it records nothing.
type journal struct {
	folder string
	file   *os.File
}

func journalName(folder string, shard, shards int) string {
	return filepath.Join(folder, fmt.Sprintf("journal-%d-of-%d", shard, shards))
}

// openJournal opens or creates the journal of a range for writing. job identifies the job; it is an error if the
// journal belongs to another one.
func openJournal(folder string, shard, shards int, job string) (*journal, error) {
	if folder == "" {
		return &journal{}, nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	name := journalName(folder, shard, shards)
	_, end, err := readJournal(folder, shard, shards, job)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	j := &journal{folder, f}
	if err = f.Truncate(end); err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err == nil && end == 0 {
		err = j.append(head{job})
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

func (j *journal) append(e any) error {
	if j.file == nil {
		return nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.file, "%08x %s\n", checksum(text), text)
	return err
}

func (j *journal) close() error {
	f := j.file
	if j.file = nil; f == nil {
		return nil
	}
	return f.Close()
}

// readJournal returns the entries of a range, and the offset of the first incomplete line. Without a journal there are
// no entries.
func readJournal(folder string, shard, shards int, job string) (entries []entry, end int64, err error) {
	data, err := os.ReadFile(journalName(folder, shard, shards))
	if errors.Is(err, os.ErrNotExist) || err == nil && len(data) == 0 {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	first := true
	for line := range bytes.Lines(data) {
		var sum uint32
		text := line[min(len(line), 9):]
		n, _ := fmt.Sscanf(string(line[:min(len(line), 8)]), "%08x", &sum)
		if n != 1 || !bytes.HasSuffix(text, []byte("\n")) || checksum(text[:len(text)-1]) != sum {
			break
		}
		end += int64(len(line))
		if first {
			var h head
			if err := json.Unmarshal(text, &h); err != nil {
				return nil, 0, err
			}
			if h.Job != job {
				return nil, 0, fmt.Errorf("%s is the state of another job: of another program, other inputs, other options, or other sizes of blocks. Remove it to begin anew", folder)
			}
			first = false
			continue
		}
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, 0, err
		}
		entries = append(entries, e)
	}
	return entries, end, nil
}

// stateFile returns the name of a state file beside the journals.
func stateFile(folder, kind string, pass, block int) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%d-%d", kind, pass, block))
}

// save writes tensors to a file, which appears only when it is complete, and returns the checksum.
func (j *journal) save(kind string, pass, block int, ts []*graph.Tensor) (uint32, error) {
	if j.folder == "" || len(ts) == 0 {
		return 0, nil
	}
	var data []byte
	for _, t := range ts {
		data = append(data, binfile.Memory(t)...)
	}
	name := stateFile(j.folder, kind, pass, block)
	part := fmt.Sprintf("%s.part%d", name, rand.Uint64()) // another machine may compute the same range
	if err := os.WriteFile(part, data, 0o666); err != nil {
		return 0, err
	}
	return checksum(data), os.Rename(part, name)
}

// load reads tensors that save wrote, and reports whether the checksum is right.
func (j *journal) load(kind string, pass, block int, sum uint32, ts []*graph.Tensor) bool {
	if len(ts) == 0 {
		return true
	}
	data, err := os.ReadFile(stateFile(j.folder, kind, pass, block))
	if err != nil || checksum(data) != sum {
		return false
	}
	for _, t := range ts {
		n := copy(binfile.Memory(t), data)
		if n < t.Bytes() {
			return false
		}
		data = data[n:]
	}
	return len(data) == 0
}

// forget removes a file written by save.
func (j *journal) forget(kind string, pass, block int) {
	if j.folder != "" {
		os.Remove(stateFile(j.folder, kind, pass, block))
	}
}
