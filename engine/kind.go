package engine

// Kind numbers the types of events, as they are stored. A number never changes meaning.
type Kind uint8
