module github.com/stridefuse/stridefuse

go 1.26.0

require (
	github.com/mmcloughlin/avo v0.6.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/arch v0.33.0
	golang.org/x/exp v0.0.0-20260908205506-85c1c2202aba
	golang.org/x/sys v0.49.0
	golang.org/x/tools v0.52.0
	pgregory.net/rapid v1.3.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
