package key

import "strings"

// Grants answers whether a list of permissions allows an act: by the word `*`, by the
// permission itself, or by `<prefix>:*` for any colon-prefix of it, the whole included.
// There is no other globbing. Build one with NewGrants.
type Grants struct {
	everything bool
	exact      map[string]struct{}
	under      map[string]struct{} // the prefixes of entries `<prefix>:*`
}

// NewGrants prepares a list of permissions, which is not checked against a vocabulary.
func NewGrants(permissions []string) Grants {
	g := Grants{exact: map[string]struct{}{}, under: map[string]struct{}{}}
	for _, p := range permissions {
		if p == "*" {
			g.everything = true
		}
		g.exact[p] = struct{}{}
		if prefix, found := strings.CutSuffix(p, ":*"); found {
			g.under[prefix] = struct{}{}
		}
	}
	return g
}

// Allow answers for one permission such as `calendar:calendars:create`.
func (g *Grants) Allow(permission string) bool {
	if g.everything || in(g.exact, permission) || in(g.under, permission) {
		return true
	}
	for i := range len(permission) {
		if permission[i] == ':' && in(g.under, permission[:i]) {
			return true
		}
	}
	return false
}

func in(set map[string]struct{}, word string) bool {
	_, found := set[word]
	return found
}
