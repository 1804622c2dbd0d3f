package google

import (
	"slices"
	"strings"
)

// Scope is a permission that a person is asked for.
type Scope struct {
	Name   string // as Google calls it
	Reason string // what it is for, in words for the person
}

// Scopes returns the permissions that the backends and the trigger need, and no more.
func Scopes() []Scope {
	return []Scope{
		{scopeBase + "gmail.modify", "read mail, put labels on it, mark it as read, and send answers that you agreed to; it cannot delete mail for good"},
		{scopeBase + "calendar.events", "see what is on your calendar, and plan, move and cancel meetings that you agreed to"},
		{scopeBase + "calendar.settings.readonly", "know your time zone"},
	}
}

const scopeBase = "https://www.googleapis.com/auth/"

// wider is permissions that hold those that are asked for, as logins of other programs
// may have them.
var wider = map[string][]string{
	scopeBase + "gmail.modify":               {"https://mail.google.com/"},
	scopeBase + "calendar.events":            {scopeBase + "calendar"},
	scopeBase + "calendar.settings.readonly": {scopeBase + "calendar", scopeBase + "calendar.readonly"},
}

// missing returns the scopes that were not granted.
func missing(granted []string) []Scope {
	return slices.DeleteFunc(Scopes(), func(s Scope) bool {
		return slices.ContainsFunc(append(wider[s.Name], s.Name), func(name string) bool { return slices.Contains(granted, name) })
	})
}

func scopeNames() []string {
	var out []string
	for _, s := range Scopes() {
		out = append(out, s.Name)
	}
	return out
}

// granted reads the scopes that came with a token; when Google does not say, it is
// those that were asked for.
func granted(extra any) []string {
	text, _ := extra.(string)
	if text == "" {
		return scopeNames()
	}
	return strings.Fields(text)
}
