//go:build !amd64 || purego

package imaging

const assembly = false

func downBlocks(dst, src *uint8, stride, blocks int, k *int32, taps int) {}

func acrossFour(dst, src *uint8, n int, first, k *int32, pairs int) {}

func acrossOne(dst, src *uint8, n int, first, k *int32, eights int) {}

func doubleSixteens(dst, src *uint8, sixteens int) {}

func rgbaEights(dst, y, cb, cr *uint8, eights int) {}
