// Package recipes has no code of its own. Its examples are programs of single tasks, which run
// as tests.
package recipes
