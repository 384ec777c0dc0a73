package install

import "errors"

// Guarded cannot judge who may write a file here.
func Guarded(string, int, string) error {
	return errors.New("gatewright cannot tell on Windows who can write a file, so it does not register for everybody: write the managed settings yourself")
}
