// Command weft runs declarative agent pipelines: it checks specs, tests them, runs
// their graphs durably, and lets humans answer what a run asks them.
//
// It is wiring: flags, environment, exit codes and what is printed. Everything else is
// in the packages of the engine.
package main

import "os"

func main() { os.Exit(run()) }

// run is the whole program; it returns the exit code.
func run() int {
	a := newApp()
	return a.execute(os.Args[1:])
}
