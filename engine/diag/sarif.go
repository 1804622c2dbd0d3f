package diag

import (
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Tool names the program in a SARIF log.
type Tool struct {
	Name    string
	Version string
	URI     string // of its home page; may be empty
}

// SARIF prints findings as a SARIF 2.1.0 log with the rules they belong to. Paths are
// relative URIs, to be read from the root of the checkout; columns count characters.
func SARIF(w io.Writer, findings []Finding, rules []Rule, tool Tool, source func(file string) []byte) error {
	s := &sarif{lines: newLines(source), index: map[Code]int{}}
	driver := sarifDriver{Name: tool.Name, Version: tool.Version, InformationURI: tool.URI, Rules: []sarifRule{}}
	for _, r := range rules {
		if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Code == r.Code }) {
			continue
		}
		s.index[r.Code] = len(driver.Rules)
		driver.Rules = append(driver.Rules, sarifRule{
			ID: r.Code, ShortDescription: sarifText{r.Summary}, Help: sarifHelp{Text: r.Explain, Markdown: r.Explain},
			DefaultConfiguration: sarifLevel{level(r.Severity)},
		})
	}
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = driver
	for _, f := range findings {
		run.Results = append(run.Results, s.result(f))
	}
	return encode(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

type sarif struct {
	lines *lines
	index map[Code]int
}

func level(s Severity) string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

func (s *sarif) result(f Finding) sarifResult {
	text := f.Message
	if f.Hint != "" {
		text += ". " + f.Hint
	}
	r := sarifResult{RuleID: f.Code, Level: level(f.Severity), Message: sarifText{text}}
	if i, ok := s.index[f.Code]; ok {
		r.RuleIndex = &i
	}
	if f.Pos.File != "" {
		r.Locations = []sarifLocation{{PhysicalLocation: s.location(f.Pos)}}
	}
	for i, rel := range f.Related {
		if rel.Pos.File != "" {
			r.RelatedLocations = append(r.RelatedLocations,
				sarifLocation{ID: i + 1, PhysicalLocation: s.location(rel.Pos), Message: &sarifText{rel.Message}})
		}
	}
	return r
}

func (s *sarif) location(p Pos) sarifPhysical {
	loc := sarifPhysical{ArtifactLocation: artifact(p.File)}
	if p.Known() {
		loc.Region = &sarifRegion{StartLine: p.Line, StartColumn: s.lines.column(p)}
	}
	return loc
}

// artifact writes a path as a URI: relative to the checkout unless it is absolute.
func artifact(file string) sarifArtifact {
	file = strings.ReplaceAll(file, `\`, "/")
	if path.IsAbs(file) {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: path.Clean(file)}).String(), URIBaseID: "%SRCROOT%"}
}

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   Code       `json:"id"`
		ShortDescription     sarifText  `json:"shortDescription"`
		Help                 sarifHelp  `json:"help"`
		DefaultConfiguration sarifLevel `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifResult struct {
		RuleID           Code            `json:"ruleId"`
		RuleIndex        *int            `json:"ruleIndex,omitempty"`
		Level            string          `json:"level"`
		Message          sarifText       `json:"message"`
		Locations        []sarifLocation `json:"locations,omitempty"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifLocation struct {
		ID               int           `json:"id,omitempty"`
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
		Message          *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)
