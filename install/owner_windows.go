package install

import (
	"io/fs"
	"os"
)

// sameOwner: a new file belongs to the folder's owner here.
func sameOwner(*os.File, fs.FileInfo) error { return nil }
