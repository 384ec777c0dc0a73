package main

import "syscall"

// smallDisk mounts a small file system, as root can.
func smallDisk(dir string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k,mode=0700")
}

func unmount(dir string) error { return syscall.Unmount(dir, 0) }
