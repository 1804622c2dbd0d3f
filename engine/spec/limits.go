package spec

// What a spec may measure. The bounds keep time and memory small whatever a file
// holds; real specs stay far below them.
const (
	maxFileBytes = 4 << 20   // one spec file
	maxSpecBytes = 16 << 20  // all spec files and the texts they include
	maxTextBytes = 1 << 20   // a file named by {file: path}
	maxCUEBytes  = 256 << 10 // one .cue file: it is a program
	maxFiles     = 2000      // spec files of one spec, imports included
	maxEntries   = 20_000    // names looked at to find them
	maxDepth     = 100       // nesting of values
	maxDirDepth  = 32        // nesting of folders
	maxValues    = 500_000   // values of a spec
	maxMarks     = 250_000   // lines, commas and brackets of one YAML file
	maxAliased   = 50_000    // values that YAML aliases repeat
	maxImports   = 64        // spec directories
	maxLinks     = 16        // symbolic links in a row
	maxFindings  = 200       // findings about the values of one spec
	wayWeight    = 100       // what one way through disjunctions weighs
	maxCUEWeight = 2_000_000 // values and bytes that .cue files can make, estimated
)
