package spectest

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
	took     time.Duration
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the outcomes as JUnit XML, a suite for each test file.
func JUnit(w io.Writer, report *Report) error {
	out := junitSuites{}
	var total time.Duration
	for _, o := range report.Outcomes {
		s := out.suite(o.Test.Pos.File)
		s.add(o)
		total += o.Took
	}
	for i := range out.Suites {
		s := &out.Suites[i]
		s.Time = seconds(s.took)
		out.Tests, out.Failures, out.Errors = out.Tests+s.Tests, out.Failures+s.Failures, out.Errors+s.Errors
	}
	out.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// suite returns the suite of a file; outcomes come file by file.
func (s *junitSuites) suite(file string) *junitSuite {
	if n := len(s.Suites); n > 0 && s.Suites[n-1].Name == file {
		return &s.Suites[n-1]
	}
	s.Suites = append(s.Suites, junitSuite{Name: file})
	return &s.Suites[len(s.Suites)-1]
}

func (s *junitSuite) add(o *Outcome) {
	c := junitCase{Name: o.Test.Name, Class: o.Suite.Dir, File: o.Test.Pos.File, Line: o.Test.Pos.Line, Time: seconds(o.Took)}
	switch {
	case o.Problem != "":
		c.Error = &junitFailure{Message: o.Problem}
		s.Errors++
	case len(o.Mismatches) > 0:
		c.Failure = &junitFailure{Message: summary(o.Mismatches), Text: o.Text()}
		s.Failures++
	}
	s.Tests++
	s.took += o.Took
	s.Cases = append(s.Cases, c)
}

func summary(found []Mismatch) string {
	names := make([]string, len(found))
	for i, m := range found {
		names[i] = m.What
	}
	return strings.Join(names, ", ")
}

// Text describes why a test failed, "" when it did not.
func (o *Outcome) Text() string {
	var b strings.Builder
	if o.Problem != "" {
		fmt.Fprintf(&b, "%s: %s\n", o.Test.Pos, o.Problem)
	}
	for _, m := range o.Mismatches {
		fmt.Fprintf(&b, "%s: %s\n  %s\n", m.Pos, m.What, strings.ReplaceAll(m.Diff, "\n", "\n  "))
	}
	return b.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
