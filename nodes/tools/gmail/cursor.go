package gmail

import "encoding/json"

// cursor is what a mailbox knows between polls.
type cursor struct {
	Account string         `json:"account,omitempty"` // whose mailbox it is
	History uint64         `json:"history"`           // what happened up to here was looked at
	Seen    int64          `json:"seen"`              // when it was, in Unix seconds
	Todo    []string       `json:"todo,omitempty"`    // mails that were found and not read yet, oldest first
	Listed  bool           `json:"listed,omitempty"`  // Todo was found by Gmail's search: it fits
	Rest    bool           `json:"rest,omitempty"`    // the history goes on
	Again   map[string]int `json:"again,omitempty"`   // mails that could not be read, and how often it was tried
}

// readCursor reads a cursor. One that cannot be read is as if there were none.
func readCursor(text string) cursor {
	var c cursor
	if text == "" || json.Unmarshal([]byte(text), &c) != nil {
		return cursor{}
	}
	return c
}

func (c cursor) text() string {
	data, err := json.Marshal(c)
	if err != nil {
		return ""
	}
	return string(data)
}
