package amd64

import "github.com/stridefuse/stridefuse/ir/kernel"

// The offsets of abi.Frame's fields in bytes. A test compares them with the Go struct.
const (
	frameRows = 0
	frameCols = 8
	framePtr  = 16
	frameStep = framePtr + 8*kernel.MaxOperands

	frameNonTemporal = frameStep + 8*kernel.MaxOperands
)
