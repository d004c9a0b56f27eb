//go:build unix && !linux

package binfile

const populate = 0
