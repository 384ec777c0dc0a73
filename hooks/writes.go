package hooks

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Writes lists the files that a client's own tool would write, as the call names
// them. What a shell or another program writes is not known here.
func (e Event) Writes() []string {
	args := gjson.ParseBytes(e.Args)
	switch e.Tool {
	case "Write", "Edit", "MultiEdit":
		return texts(args.Get("file_path"))
	case "NotebookEdit":
		return texts(args.Get("notebook_path"))
	case "apply_patch":
		return PatchedFiles(args.Get("command").Str)
	}
	return nil
}

func texts(v gjson.Result) []string {
	if v.Type != gjson.String {
		return nil
	}
	return []string{v.Str}
}

// patchHeads begin the lines of a patch that name a file.
var patchHeads = []string{"*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"}

// PatchedFiles lists the files that a patch names.
func PatchedFiles(patch string) []string {
	var paths []string
	for line := range strings.Lines(patch) {
		for _, head := range patchHeads {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				paths = append(paths, strings.TrimSpace(path))
			}
		}
	}
	return paths
}
