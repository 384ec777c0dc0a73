//go:build !unix

package main

import (
	"io/fs"
	"os/exec"
)

func inGroup(*exec.Cmd) {}

func isMine(fs.FileInfo) bool { return true }

func isWritable(string) bool { return true }
