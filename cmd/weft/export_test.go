package main

// Run is the whole program, for scripts that run it.
func Run() int { return run() }

// BenchServer is the model server of BenchmarkAgentLoop.
var BenchServer = benchServer
