module github.com/stridefuse/stridefuse/.ci/arrayapi

go 1.26.0

replace (
	github.com/stridefuse/stridefuse => ../..
	github.com/stridefuse/stridefuse/x/fft => ../../x/fft
	github.com/stridefuse/stridefuse/x/linalg => ../../x/linalg
)

require (
	github.com/stridefuse/stridefuse v0.0.0-00010101000000-000000000000
	github.com/stridefuse/stridefuse/x/fft v0.0.0-00010101000000-000000000000
	github.com/stridefuse/stridefuse/x/linalg v0.0.0-00010101000000-000000000000
)

require (
	golang.org/x/sys v0.49.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
