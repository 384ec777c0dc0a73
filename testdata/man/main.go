// Command man writes the man page of a gatewright program, made from what the
// program says of itself. It stands apart so that the program links nothing for it.
//
//	go run ./testdata/man [-date 2026-03-02] PROGRAM > gatewright.1
package main

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
)

func main() {
	log.SetFlags(0)
	date := flag.String("date", "", "day of the page (default: that of the commit which the program was built from)")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: go run ./testdata/man [-date DAY] PROGRAM > gatewright.1")
	}
	page, err := write(flag.Arg(0), *date)
	if err != nil {
		log.Fatal("man: ", err)
	}
	fmt.Print(page)
}

// write makes the page of a program.
func write(program, date string) (string, error) {
	var err error
	if date = cmp.Or(date, commitDay(program)); date == "" {
		return "", errors.New("the program does not say which commit it is from: give its day with -date")
	}
	version, err := exec.Command(program, "version").Output()
	if err != nil {
		return "", err
	}
	words := strings.Fields(string(version)) // gatewright v1.2.3 (…
	if len(words) < 2 {
		return "", fmt.Errorf("%s version says %q", program, version)
	}
	all, err := readAll(program, nil)
	if err != nil {
		return "", err
	}
	return page(all, date, words[1]), nil
}

func commitDay(program string) string {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return ""
	}
	for _, s := range info.Settings {
		if day, _, ok := strings.Cut(s.Value, "T"); ok && s.Key == "vcs.time" {
			return day
		}
	}
	return ""
}

// readAll reads the help of a command and of those below it.
func readAll(program string, path []string) ([]help, error) {
	command := exec.Command(program, append([]string{"help"}, path...)...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("help %s: %w", strings.Join(path, " "), err)
	}
	h, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("help %s: %w", strings.Join(path, " "), err)
	}
	all := []help{h}
	for _, name := range h.commands {
		below, err := readAll(program, append(path[:len(path):len(path)], name))
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	return all, nil
}
