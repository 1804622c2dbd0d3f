// Package weather is the modality of the weather at places: the last report a place
// got, the reports before it, and the forecasts and alerts that came with them.
package weather
