package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"gatewright/policy"
)

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  cobra.NoArgs,
		Run: func(*cobra.Command, []string) {
			fmt.Fprintln(c.stdout, versionLine())
		},
	}
}

// versionLine tells builds apart.
func versionLine() string {
	return fmt.Sprintf("gatewright %s (policy language %d, %s %s/%s)",
		buildVersion(), policy.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion is the module's version, or the commit it was built from.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (version == "" || version == "(devel)") {
			version = s.Value[:min(12, len(s.Value))]
		}
	}
	if version == "" {
		return "(devel)"
	}
	return version
}
