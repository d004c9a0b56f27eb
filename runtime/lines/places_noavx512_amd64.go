//go:build amd64 && !purego && noavx512

package lines

var findersAVX512 finders // none
