package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/weft-engine/weft/engine/chat"
	"github.com/weft-engine/weft/engine/secret"
	"github.com/weft-engine/weft/engine/source"
)

// recordingVersion is the format of recordings.
const recordingVersion = 1

// maxRecording is how large a recording may be.
const maxRecording = 128 << 20

// recording is one saved exchange.
type recording struct {
	Version  int            `json:"version"`
	Node     string         `json:"node,omitempty"`
	Use      int            `json:"use"` // how often the same request was made, from 1
	Request  any            `json:"request"`
	Response *chat.Response `json:"response,omitempty"`
	Error    *recordedError `json:"error,omitempty"`
	file     string         // its name
}

// recordedError is a saved failure.
type recordedError struct {
	Message    string        `json:"message"`
	Status     int           `json:"status,omitempty"`
	Transient  bool          `json:"transient,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

// canonical is a request as plain data that is the same for the same question: the
// provider and its model, and all that is sent; not the key, not the node, not the ids
// of messages, which no provider sees. Secrets are struck out.
func canonical(req *chat.Request, vault *secret.Vault) (any, error) {
	plain := *req
	plain.Messages = make([]chat.Message, len(req.Messages))
	for i, m := range req.Messages {
		m.ID = ""
		plain.Messages[i] = m
	}
	data, err := json.Marshal(plain)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	v, err := source.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("read the request: it is no object")
	}
	if req.Model != nil {
		fields["model"] = map[string]any{"provider": req.Model.Provider, "model": req.Model.Model}
	}
	if vault == nil {
		return fields, nil
	}
	return vault.RedactValue(fields), nil
}

// hash names a canonical request.
func hash(canonical any) (string, error) {
	data, err := json.Marshal(canonical)
	if err != nil {
		return "", fmt.Errorf("read the request: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), nil
}

func fileName(hash string, use int) string {
	if use == 1 {
		return hash + ".json"
	}
	return fmt.Sprintf("%s-%d.json", hash, use)
}

// write prints the recording, secrets struck out.
func (r *recording) write(vault *secret.Vault) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the recording: %w", err)
	}
	v, err := source.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("write the recording: %w", err)
	}
	if vault != nil {
		v = vault.RedactValue(v)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write the recording: %w", err)
	}
	return out.Bytes(), nil
}

// readRecording reads what write wrote.
func readRecording(name string, data []byte) (*recording, error) {
	v, err := source.DecodeJSON(data)
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", name, err)
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("recording %s: not an object", name)
	}
	var r recording
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("recording %s: %w", name, err)
	}
	if r.Version != recordingVersion {
		return nil, fmt.Errorf("recording %s: version %d, and this program reads version %d: record it again", name, r.Version, recordingVersion)
	}
	if (r.Response == nil) == (r.Error == nil) {
		return nil, fmt.Errorf("recording %s: must have a response or an error", name)
	}
	r.file, r.Request = name, fields["request"]
	if r.Response != nil {
		wholeNumbers(r.Response.Message.ToolCalls, fields["response"])
	}
	return &r, nil
}

// wholeNumbers gives the arguments of calls as DecodeJSON read them.
func wholeNumbers(calls []chat.ToolCall, response any) {
	r, _ := response.(map[string]any)
	m, _ := r["message"].(map[string]any)
	list, _ := m["tool_calls"].([]any)
	for i := range calls {
		calls[i].Args = map[string]any{}
		if i >= len(list) {
			continue
		}
		c, _ := list[i].(map[string]any)
		if args, ok := c["args"].(map[string]any); ok {
			calls[i].Args = args
		}
	}
}
