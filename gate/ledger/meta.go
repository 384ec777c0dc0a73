package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"syscall"
)

// bbolt keeps two meta pages and, if the newer one is damaged, quietly goes
// back to the older: to the state before the last transaction. For a ledger
// that would forget what was spent last, so a file must have both.

// The layout of a bbolt meta page (file format 2), in the machine's byte order.
const (
	pageHeader   = 16
	metaPageSize = pageHeader + 8  // offset of the page size, 4 bytes
	metaSum      = pageHeader + 56 // offset of the FNV-1a sum of what is before it
	metaEnd      = metaSum + 8
	maxPage      = 64 << 10
)

var errNoFile = errors.New("it is not a regular file")

// checkMetas fails with ErrDamaged unless both meta pages are whole.
func checkMetas(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe does not hold us up
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, errNoFile)
	}
	first := make([]byte, metaEnd)
	if _, err := f.ReadAt(first, 0); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	size := int64(binary.NativeEndian.Uint32(first[metaPageSize:]))
	second := make([]byte, metaEnd)
	if size < metaEnd || size > maxPage {
		return fmt.Errorf("%w: it names a page size of %d", ErrDamaged, size)
	}
	if _, err := f.ReadAt(second, size); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if info, err := f.Stat(); err != nil || info.Size() < 2*size {
		return fmt.Errorf("%w: it is cut short", ErrDamaged)
	}
	if !wholeMeta(first) || !wholeMeta(second) {
		return fmt.Errorf("%w: a page that names its last transaction is not whole", ErrDamaged)
	}
	return nil
}

func wholeMeta(page []byte) bool {
	sum := fnv.New64a()
	sum.Write(page[pageHeader:metaSum])
	return sum.Sum64() == binary.NativeEndian.Uint64(page[metaSum:])
}
