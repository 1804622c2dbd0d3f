package diag

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// JSON prints findings as a JSON array, [] when there are none. The fields are those
// of Finding; lines and columns count from 1, columns count bytes.
func JSON(w io.Writer, findings []Finding) error {
	if findings == nil {
		findings = []Finding{}
	}
	return encode(w, findings)
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	return nil
}

// GitHub prints findings as workflow commands, which GitHub shows at the lines of a
// pull request.
func GitHub(w io.Writer, findings []Finding) error {
	b := bufio.NewWriter(w)
	for _, f := range findings {
		command := "error"
		if f.Severity == Warning {
			command = "warning"
		}
		lines := []string{clean(f.Message)}
		if f.Hint != "" {
			lines = append(lines, "hint: "+clean(f.Hint))
		}
		for _, r := range f.Related {
			lines = append(lines, prefix(r.Pos)+clean(r.Message))
		}
		_, _ = fmt.Fprintf(b, "::%s %stitle=%s::%s\n", command, place(f.Pos), escapeProperty.Replace(clean(string(f.Code))),
			escapeData.Replace(strings.Join(lines, "\n")))
	}
	return b.Flush()
}

// place is a position as properties of a workflow command.
func place(p Pos) string {
	if p.File == "" {
		return ""
	}
	s := "file=" + escapeProperty.Replace(clean(p.File)) + ","
	if p.Known() {
		s += fmt.Sprintf("line=%d,col=%d,", p.Line, p.Col)
	}
	return s
}

// The escapes of workflow commands.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Explain prints what a rule is about, as Markdown.
func Explain(w io.Writer, r Rule) error {
	_, err := fmt.Fprintf(w, "# %s (%s)\n\n%s\n\n%s\n", r.Code, r.Severity, r.Summary, strings.TrimSpace(r.Explain))
	return err
}
