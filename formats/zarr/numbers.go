package zarr

// Numbers that JSON does not have, and Python's json module writes.

import "bytes"

// quoteNumbers puts NaN, Infinity and -Infinity outside of strings into quotes, as Zarr has them for fill values.
func quoteNumbers(text []byte) []byte {
	var out []byte
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\' && i+1 < len(text):
			out = append(out, c, text[i+1])
			i++
			continue
		case c == '"':
			inString = !inString
		case !inString:
			if word := number(text[i:]); word != "" {
				out = append(append(append(out, '"'), word...), '"')
				i += len(word) - 1
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

// number returns the number that a text begins with, or "".
func number(text []byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
}
