#!/usr/bin/env bash
# A tarball of the static program is complete wherever it is unpacked. usage: test_tarball.sh
# TARBALL. That of another architecture runs under qemu; exit status 77 where there is none.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tarball=$1
fail() {
    echo "test_tarball: $1" >&2
    exit 1
}
emulator=()
arch=$(sed -E 's/.*-linux-(.*)\.tar\.gz$/\1/' <<<"$tarball")
if [ "$arch" != "$(uname -m)" ]; then
    emulator=("qemu-$arch-static")
    if ! command -v "${emulator[0]}" >/dev/null; then
        echo "skip: test_tarball: there is no ${emulator[0]} for $tarball"
        exit 77
    fi
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -C "$folder" -xzf "$tarball"
top=$(echo "$folder"/engram-*)
program=$top/bin/engram
needed=$(readelf -d "$program" | grep NEEDED) && fail "$program needs shared libraries: $needed"
for file in LICENSE README.md share/man/man1/engram.1.gz \
    share/bash-completion/completions/engram; do
    [ -s "$top/$file" ] || fail "$file is missing"
done
echo "$(basename "$tarball"): $(stat -c %s "$tarball") bytes, the program $(stat -c %s "$program")"
export ENGRAM_HOME=$folder/home
"${emulator[@]}" "$program" models verify >/dev/null
"${emulator[@]}" "$program" models pull nli-deberta-v3-xsmall 2>"$folder/why" &&
    fail "the static program downloaded a model"
grep -q 'linked statically' "$folder/why" || fail "models pull: $(cat "$folder/why")"
python3 "$here/use.py" "${emulator[@]}" "$program"
