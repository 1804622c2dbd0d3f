// Package schemas holds the language of specs as CUE definitions: #Spec and all it
// consists of. The .cue files are the reference manual of the language; this
// package only carries them.
package schemas

import "embed"

// FS holds the .cue files.
//
//go:embed *.cue
var FS embed.FS
