// Package env gives node types and tools the simulated environment that a spec means:
// one at a URL, or one of the thread's own inside this process.
//
//	environment: {scenario: …}      one inside Weft for each thread
//	environment: {url: …, key: …}   one somewhere else, for all
//	at: {url: …, key: …}            of a single node or tool
//
// Place is the first two, At the third, compiled; a Keeper opens what they mean. It
// keeps an environment of a thread's own on a Shelf, after every change, so that a run
// that is resumed by another process, even after a crash, finds its world as it left it.
//
// Clock is the time of an environment, for runs that live in it.
package env
