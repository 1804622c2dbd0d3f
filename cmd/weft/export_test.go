package main

// Run is the whole program, for scripts that run it.
func Run() int { return run() }
