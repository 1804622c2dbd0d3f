package http

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// errForbidden marks an address or host that the tool may not reach.
var errForbidden = errors.New("forbidden address")

// guard decides which hosts and addresses one tool may reach.
type guard struct {
	hosts    []hostRule     // the allow-list; never empty
	private  bool           // private and loopback addresses are allowed for every allowed host
	prefixes []netip.Prefix // addresses that are allowed although they are not public
	names    []string       // hosts whose addresses are allowed although they are not public
}

// hostRule is an entry of the allow-list: a name, *.name for its subdomains, with
// a port or, without one, the usual ports of http and https.
type hostRule struct {
	name string // lower case; without the leading * of a wildcard: ".example.com"
	wild bool
	port string // "" is 80 and 443
}

// parseHostRule reads example.com, *.example.com, example.com:8080, 10.0.0.1 or [::1]:80.
func parseHostRule(text string) (hostRule, error) {
	rule := hostRule{name: strings.ToLower(text)}
	if host, port, err := net.SplitHostPort(rule.name); err == nil {
		rule.name, rule.port = host, port
	}
	rule.name = strings.TrimSuffix(strings.Trim(rule.name, "[]"), ".")
	if rest, ok := strings.CutPrefix(rule.name, "*."); ok {
		rule.name, rule.wild = "."+rest, true
		if !strings.Contains(rest, ".") {
			return hostRule{}, fmt.Errorf("%q covers a whole top-level domain", text)
		}
	}
	if !validHost(strings.TrimPrefix(rule.name, ".")) || !validPort(rule.port) {
		return hostRule{}, fmt.Errorf("%q is not a host name", text)
	}
	return rule, nil
}

func (r hostRule) matches(name, port string) bool {
	if r.port != "" && r.port != port || r.port == "" && port != "80" && port != "443" {
		return false
	}
	if r.wild {
		return strings.HasSuffix(name, r.name)
	}
	return name == r.name
}

// validHost accepts letters, digits, dots, hyphens and underscores, and IP addresses.
func validHost(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return !strings.Contains(name, "%")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

func validPort(port string) bool {
	if port == "" {
		return true
	}
	return len(port) <= 5 && strings.Trim(port, "0123456789") == "" && port[0] != '0'
}

// allows reports whether the host of a URL is on the allow-list.
func (g *guard) allows(u *url.URL) bool {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return slices.ContainsFunc(g.hosts, func(r hostRule) bool { return r.matches(name, portOf(u)) })
}

// permits reports whether a connection for this host may go to this address.
func (g *guard) permits(host string, addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if slices.ContainsFunc(g.prefixes, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return true
	}
	if slices.Contains(g.names, strings.TrimSuffix(strings.ToLower(host), ".")) {
		return !special(addr)
	}
	if g.private && (addr.IsPrivate() || addr.IsLoopback()) {
		return !special(addr)
	}
	return public(addr)
}

// specialAddrs serve credentials or configuration to whoever asks from the machine
// itself. They are reached only when a prefix in `private` names them.
var specialAddrs = prefixes("169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "100.100.100.200/32", "168.63.129.16/32")

func special(addr netip.Addr) bool { return within(specialAddrs, addr) }

// reservedAddrs are not on the public internet although netip does not call them
// private, or carry another address inside that would escape the check.
var reservedAddrs = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
)

func public(addr netip.Addr) bool {
	switch {
	case !addr.IsValid(), addr.IsPrivate(), addr.IsLoopback(), addr.IsUnspecified(), addr.IsMulticast(),
		addr.IsLinkLocalUnicast(), addr.IsInterfaceLocalMulticast():
		return false
	}
	return !within(reservedAddrs, addr)
}

func within(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		out[i] = netip.MustParsePrefix(t)
	}
	return out
}

// dial connects to an allowed address only. The check happens on the address that
// the socket is about to use, so a name that resolves differently a second time
// gains nothing.
func (g *guard) dial(resolver *net.Resolver) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		dialer := net.Dialer{Resolver: resolver, Control: func(_, actual string, _ syscall.RawConn) error {
			return g.check(host, actual)
		}}
		return dialer.DialContext(ctx, network, address)
	}
}

func (g *guard) check(host, actual string) error {
	target, err := netip.ParseAddrPort(actual)
	if err != nil {
		return fmt.Errorf("%w: %s", errForbidden, actual)
	}
	if !g.permits(host, target.Addr()) {
		return fmt.Errorf("%w: %s is at %s, which is not on the public internet; list it under `private` if it is meant",
			errForbidden, host, target.Addr())
	}
	return nil
}
