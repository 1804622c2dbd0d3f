// Package clockprefs is the "time" modality: how the user wants instants shown (zone,
// hours, dates and language). It has nothing to do with the clock of the simulation.
package clockprefs
