package stream

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// ErrInUse is the error when another process computes the same blocks or completes the job.
var ErrInUse = errors.New("another process is at work on it: wait until it ends, or end it")

// Locks keep two processes from computing the same blocks of one State. The system releases a lock when its process
// ends, however it ends. Run and Merge lock the whole State. Shard shares it with other ranges and locks its own range.

// locks are files that this process has locked.
type locks []*os.File

// lockNames matches the names of lock files.
var lockNames = regexp.MustCompile(`^lock(-\d+-of-\d+)?$`)

// lockState takes the locks that a run needs. A negative shard means a merge.
func lockState(folder string, shard, shards int) (held locks, err error) {
	if folder == "" || !haveLocks {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, held.close())
		}
	}()
	ranges := shard >= 0 && shards > 1
	if err := held.add(filepath.Join(folder, "lock"), ranges); err != nil {
		return held, fmt.Errorf("the state %s: %w", folder, err)
	}
	if !ranges {
		return held, nil
	}
	if err := held.add(filepath.Join(folder, fmt.Sprintf("lock-%d-of-%d", shard, shards)), false); err != nil {
		return held, fmt.Errorf("range %d of %d of the state %s: %w", shard, shards, folder, err)
	}
	return held, nil
}

// add locks a file, exclusively unless shared. If the previous holder has removed the file meanwhile, add creates
// another one.
func (l *locks) add(name string, shared bool) error {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		if err := lockFile(f, shared); err != nil {
			return errors.Join(err, f.Close())
		}
		if same(f, name) {
			*l = append(*l, f)
			return nil
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
}

// same reports whether an open file still has the given name.
func same(f *os.File, name string) bool {
	a, err := f.Stat()
	b, err2 := os.Stat(name)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// close releases the locks. Their files stay, because another process may have opened them.
func (l locks) close() error {
	var errs []error
	for _, f := range l {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
