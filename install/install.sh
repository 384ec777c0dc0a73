#!/bin/sh
# Builds Gatewright with this machine's Go, puts it into ~/.local/bin and registers
# it with Claude Code and Codex in a repository:
#
#   sh install/install.sh [options of gatewright install] [DIR]
#
# GATEWRIGHT_BIN names another folder for the program. Running it again changes
# nothing, or updates what is there.
set -eu

say() { printf '%s\n' "$*"; }
fail() {
  say "install.sh: $*" >&2
  exit 1
}

source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
command -v go >/dev/null 2>&1 || fail "Go is needed to build this (1.26 or later): no go on PATH"
[ -n "${HOME-}" ] || fail "HOME is not set"
bin=${GATEWRIGHT_BIN:-$HOME/.local/bin}
case $bin in
/*) ;;
*) bin=$(pwd)/$bin ;;
esac

mkdir -p -- "$bin" || fail "$bin cannot be made"
program=$bin/gatewright
[ ! -d "$program" ] || fail "$program is a folder"
# Built beside its place and moved over it: a session that runs meanwhile finds
# the old program or the new one, never half of one.
new=$(mktemp "$bin/.gatewright-XXXXXX") || fail "nothing can be written into $bin"
trap 'rm -f -- "$new"' EXIT
trap 'exit 1' HUP INT TERM
(cd -- "$source" && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$new" ./cmd/gatewright) || fail "the build failed; nothing was changed"
chmod 755 "$new"
if cmp -s -- "$new" "$program"; then
  say "$program is up to date"
else
  mv -f -- "$new" "$program"
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
