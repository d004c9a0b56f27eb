package ir

import (
	"strings"
	"unicode/utf8"
)

// shownBytes is the number of bytes of a long line that are shown on each side of the caret.
const shownBytes = 60

// Caret returns the end of an error's text that shows its place: the line, indented, and below it a caret at the byte with the given offset. A
// long line is cut around the place.
func Caret(line string, offset int) string {
	offset = min(offset, len(line))
	begin, end := 0, len(line)
	if offset > shownBytes {
		begin = runeStart(line, offset-shownBytes)
	}
	if end > offset+shownBytes {
		end = runeStart(line, offset+shownBytes)
	}
	return "\n\t" + strings.ToValidUTF8(line[begin:end], "?") + "\n\t" + blank(strings.ToValidUTF8(line[begin:offset], "?")) + "^"
}

// runeStart returns the offset of the first byte of the character that contains byte i.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// blank returns spaces of the width of a text; tabs stay tabs.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}
