package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildInfo is what is known of the program itself.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Time     string `json:"time,omitempty"` // of the revision
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func version() buildInfo {
	b := buildInfo{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			b.Time = s.Value
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "version", Short: "Print the version", Args: atMost(0),
		RunE: a.verb(func(*cobra.Command, []string) error {
			b := version()
			if asJSON {
				a.printf("%s\n", compact(b))
				return nil
			}
			a.printf("weft %s %s/%s %s\n", b.Version, b.OS, b.Arch, b.Go)
			if b.Revision != "" {
				a.printf("revision %.12s of %s\n", b.Revision, b.Time)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
