package http

import "github.com/weft-engine/weft/engine/diag"

// The findings about http tools.
var (
	BadURL = diag.Rule{
		Code: "tool/http-url", Severity: diag.Error,
		Summary: "The address of an http tool is not usable.",
		Explain: "The address of an http tool begins with http:// or https:// and a host. Expressions fill a part of the host, " +
			"path segments or query values; they can never change the rest.\n\n" +
			"    url: \"{{ args.base }}/orders\"                       # wrong: nobody can tell where this goes\n" +
			"    url: \"https://shop.example.com/orders/{{ args.id }}\" # right\n",
	}
	NoHosts = diag.Rule{
		Code: "tool/http-hosts", Severity: diag.Error,
		Summary: "An http tool does not say which hosts it may reach.",
		Explain: "A host that comes from an expression could be any host, for example one that a mail names. `hosts` lists the " +
			"ones that are meant.\n\n" +
			"    url: \"https://{{ args.region }}.example.com/v1\"\n" +
			"    hosts: [eu.example.com, us.example.com]       # or *.example.com\n",
	}
	BadHeader = diag.Rule{
		Code: "tool/http-header", Severity: diag.Error,
		Summary: "A header of an http tool cannot be sent.",
		Explain: "Header names are letters, digits and hyphens. Host, Content-Length, Connection and the like belong to the " +
			"connection and follow from the request; a tool cannot set them.\n",
	}
	BadPrivate = diag.Rule{
		Code: "tool/http-private", Severity: diag.Error,
		Summary: "An entry of `private` is no address range and no host.",
		Explain: "`private: true` allows private and loopback addresses of the allowed hosts. A list allows only what it names: " +
			"address ranges (10.0.0.0/8), addresses (127.0.0.1) or host names.\n",
	}
)

// Rules returns the findings of this package.
func Rules() []diag.Rule { return []diag.Rule{BadURL, NoHosts, BadHeader, BadPrivate} }
