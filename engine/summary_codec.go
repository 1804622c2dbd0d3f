package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// EncodeSummary returns a summary as stores keep it: JSON.
func EncodeSummary(s *Summary) ([]byte, error) {
	data, err := encodeJSON(s)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	return data, nil
}

// DecodeSummary reads what EncodeSummary wrote; no data is the zero Summary.
func DecodeSummary(data []byte) (Summary, error) {
	var s Summary
	if len(data) == 0 {
		return s, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&s); err != nil {
		return Summary{}, fmt.Errorf("%w: summary: %w", ErrCorrupt, err)
	}
	for _, r := range s.Interrupts {
		r.Args, r.Parameters = plainObject(r.Args), plainObject(r.Parameters)
	}
	return s, nil
}
