#!/bin/sh
# Puts the program gatewright into ~/.local/bin and registers it with Claude Code
# and Codex in a repository:
#
#   sh install.sh [--archive FILE [--checksums FILE]] [options of gatewright install] [DIR]
#
# The program is the one in the archive of a release, which must have the SHA-256
# that the file of checksums says (SHA256SUMS beside the archive); or the one beside
# this script, in a release that is unpacked; or it is built with Go, in a clone.
# GATEWRIGHT_BIN names another folder for the program. Running it again changes
# nothing, or updates what is there.
set -eu

say() { printf '%s\n' "$*"; }
fail() {
  say "install.sh: $*" >&2
  exit 1
}

# machine is what releases call this machine.
machine() {
  os=$(uname -s) arch=$(uname -m)
  case $os in
  Linux) os=linux ;;
  Darwin)
    os=darwin
    # A shell that is translated says x86_64 on a machine that is none.
    [ "$(sysctl -n hw.optional.arm64 2>/dev/null)" != 1 ] || arch=arm64
    ;;
  esac
  case $arch in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
  esac
  say "$os-$arch"
}

# made_for is the machine that a program is made for, by its first bytes: a shell
# would take a program of another machine for a script.
made_for() {
  case $(od -An -v -tx1 -N20 "$1" | tr -d ' \n') in
  7f454c46*3e00) say linux-amd64 ;;
  7f454c46*b700) say linux-arm64 ;;
  cffaedfe07000001*) say darwin-amd64 ;;
  cffaedfe0c000001*) say darwin-arm64 ;;
  *) say "no machine that there are releases for" ;;
  esac
}

# sha256 is the checksum of what it reads.
sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256
  else
    fail "neither sha256sum nor shasum is on PATH: the archive cannot be checked; nothing was changed"
  fi
}

# verify makes a copy of the archive that has the checksum which is said of it.
verify() {
  [ -f "$archive" ] || fail "there is no archive $archive"
  [ -n "$checksums" ] || checksums=$(dirname -- "$archive")/SHA256SUMS
  [ -r "$checksums" ] || fail "there is no file of checksums $checksums: name it with --checksums FILE; nothing was changed"
  name=$(basename -- "$archive")
  wanted=""
  while read -r sum file || [ -n "$sum" ]; do
    [ "${file#\*}" = "$name" ] || continue
    [ "${wanted:-$sum}" = "$sum" ] || fail "$checksums names $name twice; nothing was changed"
    wanted=$sum
  done <"$checksums"
  [ -n "$wanted" ] || fail "$checksums does not name $name; nothing was changed"
  cat -- "$archive" >"$work/archive" || fail "$archive cannot be read; nothing was changed"
  found=$(sha256 <"$work/archive") || exit 1
  found=${found%% *}
  [ "$found" = "$wanted" ] || fail "$archive is not the one that was released; nothing was changed
  its SHA-256 is $found
  $checksums says $wanted"
}

# fill writes the program into a file.
fill() {
  case $way in
  archive) tar -xzOf "$work/archive" "${name%.tar.gz}/gatewright" ;;
  release) cat -- "$here/gatewright" ;;
  esac >"$1" || fail "the program cannot be read; nothing was changed"
}

# build makes the program with Go.
build() {
  (cd -- "$here/.." && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$1" ./cmd/gatewright) || fail "the build failed; nothing was changed"
}

archive="" checksums=""
while :; do
  case ${1-} in
  -h | --help)
    sed -n '2,/^set -eu/{s/^#$//;s/^# //;/^set -eu/!p;}' "$0"
    exit 0
    ;;
  --archive | --checksums) [ $# -gt 1 ] || fail "$1 needs a file" ;;
  esac
  case ${1-} in
  --archive) archive=$2 ;;
  --checksums) checksums=$2 ;;
  *) break ;;
  esac
  shift 2
done
[ -z "$checksums" ] || [ -n "$archive" ] || fail "--checksums is for an archive: name it with --archive FILE"

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ -n "$archive" ]; then
  way=archive
elif [ -f "$here/gatewright" ]; then
  way=release
elif [ -f "$here/../go.mod" ]; then
  way=clone
  command -v go >/dev/null 2>&1 || fail "Go is needed to build this (1.26 or later): no go on PATH"
else
  fail "there is neither a program beside this script nor a clone around it"
fi
[ -n "${HOME-}" ] || fail "HOME is not set"
bin=${GATEWRIGHT_BIN:-$HOME/.local/bin}
case $bin in
/*) ;;
*) bin=$(pwd)/$bin ;;
esac
program=$bin/gatewright

new="" work=""
trap '[ -z "$new" ] || rm -f -- "$new"; [ -z "$work" ] || rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM
if [ $way = archive ]; then
  work=$(mktemp -d) || fail "no temporary folder can be made"
  verify
fi

other="name a folder of yours with GATEWRIGHT_BIN=FOLDER; nothing was changed"
mkdir -p -- "$bin" || fail "$bin cannot be made: $other"
[ ! -d "$program" ] || fail "$program is a folder"
# Made beside its place and moved over it: a session that runs meanwhile finds
# the old program or the new one, never half of one.
new=$(mktemp "$bin/.gatewright-XXXXXX") || fail "nothing can be written into $bin: $other"
if [ $way = clone ]; then
  build "$new"
else
  fill "$new"
  [ "$(made_for "$new")" = "$(machine)" ] || fail "this program is made for $(made_for "$new"), and this machine is $(machine): take the release for it, if there is one, or build it with Go in a clone; nothing was changed"
fi
chmod 755 "$new"
said=$("$new" version 2>&1) || fail "the program does not run in $bin; nothing was changed: $said"
if cmp -s -- "$new" "$program"; then
  say "$program is up to date"
else
  mv -f -- "$new" "$program" || fail "$program cannot be replaced; nothing was changed"
  say "$program is installed"
fi
case :$PATH: in
*":$bin:"*) ;;
*)
  say "$bin is not on PATH. To type gatewright, add this to your shell's profile:"
  say "  export PATH=\"$bin:\$PATH\""
  [ "$bin" = "$HOME/.local/bin" ] || say "The registered line finds the program only in ~/.local/bin or on the PATH of the client."
  ;;
esac

"$program" install "$@" || fail "not everything is in place: mend what is said above and run this again"
undo=""
for arg; do
  undo="$undo \"$arg\""
done
say "To undo all of it: \"$program\" uninstall$undo && rm \"$program\""
