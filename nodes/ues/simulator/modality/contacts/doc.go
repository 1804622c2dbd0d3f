// Package contacts is the modality of the address book: a list of people, with their
// e-mail addresses and telephone numbers, that the user may add to, change and
// shrink.
package contacts
