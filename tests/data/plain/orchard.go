// Package orchard counts trees.
package orchard

import "strings"

// Tree is one tree.
type Tree struct {
	Kind string `json:"kind"`
	Age  int
}

// Bears tells whether it is old enough.
func (t *Tree) Bears() bool { return t.Age >= 4 && !strings.Contains(t.Kind, "{") }

func Count(trees []Tree) (n int) {
	for _, t := range trees {
		if t.Bears() {
			n++
		}
	}
	return n
}
