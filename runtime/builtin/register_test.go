package builtin_test

import "github.com/stridefuse/stridefuse/runtime/builtin"

func init() { builtin.Register() }
