package lines

import "github.com/stridefuse/stridefuse/runtime/builtin"

func init() {
	builtin.Register() // the kernels that combine rows
	Register()
}
