package shell

import "strings"

// optionsOf says how a program reads its arguments, for programs that write files.
func optionsOf(name string) options {
	switch name {
	case "curl":
		return options{values: "AbcCdDeEFhHKmoPQrtTuUwxXyYz", files: strings.Fields("o D c output dump-header cookie-jar trace trace-ascii stderr etag-save libcurl hsts alt-svc"), folders: []string{"output-dir"},
			long: strings.Fields("output output-dir dump-header cookie-jar trace trace-ascii stderr etag-save libcurl hsts alt-svc config url header data data-raw data-binary json request user user-agent cookie form cacert capath cert cert-type key key-type max-time connect-timeout retry retry-delay proxy resolve referer range limit-rate interface upload-file write-out")}
	case "wget":
		return options{values: "aAbBDeiIlOoPQRtTUwX", files: strings.Fields("o a O output-file append-output output-document save-cookies rejected-log"), folders: strings.Fields("P directory-prefix"),
			long: strings.Fields("output-file append-output output-document save-cookies rejected-log directory-prefix input-file header post-data user-agent tries timeout")}
	case "sort":
		return options{values: "kotST", files: strings.Fields("o output"), long: strings.Fields("output key field-separator buffer-size temporary-directory compress-program parallel batch-size files0-from")}
	case "strace", "ltrace":
		return options{values: "eopsEuSabIOXP", files: []string{"o", "output"}, long: []string{"output"}}
	case "time", "gtime":
		return options{values: "of", files: []string{"o", "output"}, long: []string{"output", "format"}}
	case "cp", "mv", "ln":
		return options{values: "St", long: strings.Fields("suffix target-directory no-preserve sparse")}
	case "install":
		return options{values: "Stmog", long: strings.Fields("suffix target-directory mode owner group strip-program")}
	case "rsync":
		return options{values: "efBTM@", files: []string{"log-file"}, folders: strings.Fields("backup-dir partial-dir temp-dir T"),
			long: strings.Fields("exclude include exclude-from include-from files-from rsh rsync-path log-file backup-dir partial-dir temp-dir suffix filter chmod chown port bwlimit block-size max-size min-size compare-dest copy-dest link-dest timeout out-format password-file usermap groupmap")}
	case "scp":
		return options{values: "cDFiJloPSX"}
	case "sed", "gsed":
		return options{values: "efl", maybe: "i", long: strings.Fields("expression file line-length")}
	case "perl":
		return options{values: "eEI", maybe: "iMmxCDVFd"}
	case "ruby":
		return options{values: "eErI", maybe: "iFKTWxC"}
	case "touch":
		return options{values: "drt", long: strings.Fields("date reference time")}
	case "truncate":
		return options{values: "sr", long: strings.Fields("size reference")}
	case "mkdir", "mkfifo", "mknod":
		return options{values: "m", long: []string{"mode"}}
	case "shred":
		return options{values: "ns", long: strings.Fields("iterations size random-source")}
	case "setfacl":
		return options{values: "mxMX", long: strings.Fields("modify remove modify-file remove-file set set-file restore")}
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz":
		return options{values: "S", long: []string{"suffix"}}
	case "zstd", "unzstd":
		return options{values: "oDTM", files: []string{"o"}}
	case "tar", "bsdtar", "gtar":
		return options{values: "fCTXbgHIKLNVF", files: strings.Fields("g listed-incremental index-file"), long: strings.Fields("file directory files-from exclude-from exclude format transform xform blocking-factor listed-incremental use-compress-program strip-components owner group mode mtime label index-file to-command checkpoint-action wildcards-match")}
	case "unzip":
		return options{values: "dP"}
	case "cpio":
		return options{values: "CDEFHIMOR", long: strings.Fields("directory file format pattern-file")}
	case "zip":
		return options{values: "bintxP", folders: []string{"b"}}
	case "patch":
		return options{values: "BdDFgiporVxYz", files: strings.Fields("o r output reject-file"), long: strings.Fields("directory input output strip fuzz reject-file prefix basename-prefix suffix ifdef get quoting-style")}
	case "openssl", "keytool", "terraform", "packer":
		return options{oneDash: true, long: strings.Fields("out keyout in inkey keystore file var var-file chdir backup state-out"), files: strings.Fields("out keyout state-out backup keystore")}
	case "cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "rustc", "nasm", "yasm":
		return options{values: "oIDL", files: []string{"o"}}
	case "gofmt", "goimports", "gofumpt":
		return options{oneDash: true, long: strings.Fields("r srcdir local cpuprofile"), files: []string{"cpuprofile"}}
	case "shfmt":
		return options{values: "i"}
	case "black", "isort", "ruff", "autopep8", "codespell":
		return options{values: "ltck", long: strings.Fields("line-length target-version config exclude extend-exclude include select ignore skip")}
	case "prettier", "biome", "eslint", "stylelint", "oxlint", "markdownlint", "standard", "rubocop":
		return options{values: "cof", files: strings.Fields("o output-file out"), long: strings.Fields("config ext ignore-path parser plugin output-file format config-path rule only except out")}
	case "clang-format", "yq", "rustfmt", "dos2unix", "unix2dos":
		return options{values: "opI", maybe: "o", long: strings.Fields("style edition config output-format indent front-matter expression")}
	case "git":
		return options{values: "", long: strings.Fields("source pathspec-from-file exclude directory message file reason orphan")}
	}
	return options{}
}
