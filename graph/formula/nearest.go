package formula

// Suggestions for misspelled names.

// nearest suggests the name of a list that is closest to a word, if it is close enough.
func nearest(word string, names []string) string {
	best, least := "", min(max(1, len(word)/3), len(word)-1)+1
	for _, n := range names {
		if d := distance(word, n); d < least {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return ": did you mean " + best + "?"
}

// distance returns the Levenshtein distance: the number of letters to insert, remove or exchange to turn a into b.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := last
			if a[i] != b[j] {
				changed++
			}
			last = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
