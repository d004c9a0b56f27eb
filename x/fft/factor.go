package fft

import "math"

// This file takes lengths apart.

// radices returns the radices of a transform of n numbers, from the first stage to the last, or nil if a prime factor of
// n is more than 7. A transform of one number has one stage.
func radices(n int) []int {
	if n == 1 {
		return []int{1}
	}
	var out []int
	for _, p := range []int{7, 5, 3} {
		for ; n%p == 0; n /= p {
			out = append(out, p)
		}
	}
	for ; n >= 32 && n%8 == 0 || n == 8; n /= 8 { // 16 is 4*4
		out = append(out, 8)
	}
	for ; n%4 == 0; n /= 4 {
		out = append(out, 4)
	}
	if n == 2 {
		out, n = append(out, 2), 1
	}
	if n > 1 {
		return nil
	}
	return out
}

// NextFastLen returns the least length of at least n whose prime factors are 2, 3, 5 and 7: transforms of such lengths
// take the least time per number. It is 1 for n below 1, and n if no such length is an int.
func NextFastLen(n int) int {
	if n < 1 {
		return 1
	}
	best := math.MaxInt
	for a := 1; ; a *= 7 {
		for b := a; ; b *= 5 {
			for c := b; ; c *= 3 {
				d := c
				for d < n && d <= math.MaxInt/2 {
					d *= 2
				}
				if d >= n {
					best = min(best, d)
				}
				if c >= n || c > math.MaxInt/3 {
					break
				}
			}
			if b >= n || b > math.MaxInt/5 {
				break
			}
		}
		if a >= n || a > math.MaxInt/7 {
			break
		}
	}
	if best == math.MaxInt {
		return n
	}
	return best
}
