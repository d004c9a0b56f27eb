package layout

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// IndexKind is what an item of an index spec does to the axes.
type IndexKind uint8

const (
	RangeIndex IndexKind = iota // begin:end:step, keeps its axis
	PointIndex                  // an integer, drops its axis
	NewAxis                     // None or newaxis, inserts an axis of extent 1
	Ellipsis                    // ..., stands for the axes that no other item takes
)

// IndexItem is one item of an index spec. A range has a Begin if HasBegin, an End (exclusive) if HasEnd, and a Step; a Step of 0,
// which ParseIndex never returns, counts as 1, so the zero IndexItem is ":". A point has At. All numbers are as written:
// negative ones count from the end of an axis whose extent is not known yet.
type IndexItem struct {
	Kind             IndexKind
	Begin, End, Step int
	HasBegin, HasEnd bool
	At               int
}

// ParseIndex reads NumPy's index notation: items separated by commas, each of
// them an integer, a range "begin:end:step" with any part left out (or None),
// "...", "None" or "newaxis". As in Python a comma may trail. Errors quote the
// spec and give the byte column (from 1) of the part at fault.
func ParseIndex(spec string) ([]IndexItem, error) {
	list := strings.TrimSpace(spec)
	if cut := strings.TrimSuffix(list, ","); strings.TrimSpace(cut) != "" {
		list = cut
	}
	if inner, is := strings.CutPrefix(list, "["); is {
		return nil, fmt.Errorf("index %q: leave out the brackets: %q", spec, strings.TrimSpace(strings.TrimSuffix(inner, "]")))
	}
	items := make([]IndexItem, 0, 1+strings.Count(list, ","))
	column := 1 + strings.Index(spec, list)
	hasEllipsis := false
	for part := range strings.SplitSeq(list, ",") {
		item, err := parseItem(part, column)
		if err == nil && item.Kind == Ellipsis && hasEllipsis {
			err = faultAt(part, column, "a second ellipsis; one is allowed")
		}
		if err != nil {
			return nil, fmt.Errorf("index %q: %w", spec, err)
		}
		hasEllipsis = hasEllipsis || item.Kind == Ellipsis
		items = append(items, item)
		column += len(part) + 1
	}
	return items, nil
}

// faultAt returns the error for a part of a spec that begins, spaces included, at a column.
func faultAt(part string, column int, format string, args ...any) error {
	trimmed := strings.TrimSpace(part)
	if trimmed != "" {
		column += strings.Index(part, trimmed)
	}
	return fmt.Errorf("%q at column %d: %s", trimmed, column, fmt.Sprintf(format, args...))
}

func parseItem(part string, column int) (IndexItem, error) {
	switch text := strings.TrimSpace(part); {
	case text == "":
		return IndexItem{}, faultAt(part, column, "an item is missing; use : for a whole axis")
	case text == "...":
		return IndexItem{Kind: Ellipsis}, nil
	case text == "None" || text == "newaxis":
		return IndexItem{Kind: NewAxis}, nil
	case strings.Contains(text, ":"):
		return parseRange(part, column)
	}
	at, err := parseInt(part, column)
	return IndexItem{Kind: PointIndex, At: at}, err
}

func parseRange(part string, column int) (IndexItem, error) {
	item := IndexItem{Kind: RangeIndex, Step: 1}
	var hasStep bool
	slots := [...]struct {
		value *int
		has   *bool
	}{{&item.Begin, &item.HasBegin}, {&item.End, &item.HasEnd}, {&item.Step, &hasStep}}
	if strings.Count(part, ":") >= len(slots) {
		return IndexItem{}, faultAt(part, column, "a range has at most three parts, begin:end:step")
	}
	k := 0
	for bound := range strings.SplitSeq(part, ":") {
		if text := strings.TrimSpace(bound); text != "" && text != "None" {
			value, err := parseInt(bound, column)
			if err != nil {
				return IndexItem{}, err
			}
			*slots[k].value, *slots[k].has = value, true
		}
		if hasStep && item.Step == 0 {
			return IndexItem{}, faultAt(bound, column, "the step of a range must not be 0")
		}
		column += len(bound) + 1
		k++
	}
	return item, nil
}

func parseInt(part string, column int) (int, error) {
	text := strings.TrimSpace(part)
	v, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, faultAt(part, column, "the number passes int")
	case err != nil:
		return 0, faultAt(part, column, `not an integer, a range "begin:end:step", "...", "None" or "newaxis"`)
	}
	return v, nil
}

// Resolve fits a range to an axis of extent n, as Python's slice.indices does: negative bounds count from the end, and bounds
// outside are clipped. The indices are begin, begin+step, ..., count of them, all in [0, n), as Layout.Slice requires; with
// count 0, begin may be -1 or n. Kind is ignored, and a negative n counts as 0.
func (it IndexItem) Resolve(n int) (begin, count, step int) {
	n, step = max(n, 0), it.Step
	if step == 0 {
		step = 1
	}
	least, most := 0, n
	begin, end := 0, n
	if step < 0 {
		least, most = -1, n-1
		begin, end = n-1, -1
	}
	if it.HasBegin {
		begin = clipBound(it.Begin, n, least, most)
	}
	if it.HasEnd {
		end = clipBound(it.End, n, least, most)
	}
	switch {
	case step > 0 && begin < end:
		count = (end-begin-1)/step + 1
	case step < 0 && begin > end:
		count = (end-begin+1)/step + 1
	}
	return begin, count, step
}

// clipBound counts a negative bound from the end n and clips it.
func clipBound(bound, n, least, most int) int {
	if bound < 0 {
		bound += n
	}
	return min(max(bound, least), most)
}

// PlaceIndex returns the axis, of an array of the given rank, that each item of a spec refers to if the items are applied one after
// the other, each to the result of those before it. A point drops its axis, a NewAxis becomes the axis returned for it, and
// an ellipsis, which does nothing, skips the axes that are left for it. Axes that no item takes stay unchanged, at the end
// if there is no ellipsis.
func PlaceIndex(items []IndexItem, rank int) (axes []int, err error) {
	taken := 0
	for _, it := range items {
		if it.Kind == RangeIndex || it.Kind == PointIndex {
			taken++
		}
	}
	if taken > rank {
		return nil, fmt.Errorf("items for %d axes, and there are %d", taken, rank)
	}
	axes = make([]int, len(items))
	at := 0
	for i, it := range items {
		axes[i] = at
		switch it.Kind {
		case RangeIndex, NewAxis:
			at++
		case Ellipsis:
			at += rank - taken
		}
	}
	return axes, nil
}
