package main

// onlyRoot is not told here.
func onlyRoot(string) bool { return false }
