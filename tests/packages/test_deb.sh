#!/usr/bin/env bash
# The Debian packages on a bare bookworm: installed with apt, used, removed; nothing of them may
# stay behind. usage: test_deb.sh FOLDER-OF-PACKAGES. Exit status 77 where it cannot run, with the
# reason. The bare system is made by debootstrap once and kept in ~/.cache/engram-tests.
set -eu
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=$(cd "$1" && pwd)
cannot() {
    echo "skip: test_deb: $1"
    exit 77
}
fail() {
    echo "test_deb: $1" >&2
    exit 1
}
[ "$(id -u)" -eq 0 ] || cannot "a chroot needs root"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
# mounts of this process alone: they go with it, however it ends
if [ -z "${OWN_MOUNTS:-}" ]; then
    unshare --mount true 2>/dev/null || cannot "this system allows no mounts"
    OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
fi

root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/engram-tests
kept=$cache/bookworm-minbase.tar
if [ ! -f "$kept" ]; then
    mkdir -p "$cache"
    debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian \
        >"$cache/log" 2>&1 ||
        cannot "debootstrap could not make a bookworm: $(tail -n 1 "$cache/log")"
    tar -C "$root" --one-file-system --exclude='./proc/*' --exclude='./sys/*' -cf "$kept.new" .
    mv "$kept.new" "$kept"
else
    tar -C "$root" -xf "$kept"
fi
mount -t proc proc "$root/proc"
inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        DEBIAN_FRONTEND=noninteractive "$@"
}
apt() { # silent unless it fails; the shell of the chroot expands the words
    inside sh -c "apt-get -qqy $*" >"$root/tmp/apt" 2>&1 || { cat "$root/tmp/apt" && exit 1; }
}
# The files of the system, without the lists, caches and logs of apt and dpkg.
files() {
    inside find / -xdev \( -path /proc -o -path /var/lib/apt -o -path /var/lib/dpkg \
        -o -path /var/cache -o -path /var/log -o -path /tmp -o -path /root -o -path /home \) \
        -prune -o -print | LC_ALL=C sort
}

mkdir "$root/packages" "$root/home/alice"
cp "$packages"/*.deb "$root/packages/"
cp -r "$top/tools/example/notes" "$root/home/alice/notes"
chown -R 1000:1000 "$root/home/alice"
apt update
files >"$root/tmp/before"
begun=$SECONDS
apt install --no-install-recommends '/packages/*.deb'
echo "installed in $((SECONDS - begun)) s"

alice=(chroot --userspec=1000:1000 "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/home/alice)
found=$("${alice[@]}" sh -c 'cd && engram check notes') && status=0 || status=$?
echo "$found" | tail -n 1
[ "$status" -eq 1 ] || fail "engram check of notes with contradictions exits $status instead of 1"
python3 "$top/tests/packages/use.py" "${alice[@]}" ENGRAM_HOME=/home/alice/memory engram
"${alice[@]}" engram models verify >/dev/null
inside ldconfig -p | grep -q libengram-infer.so.0 || fail "libengram-infer.so.0 is not found"
for file in share/doc/engram-memory/copyright include/engram/plugin.h \
    share/man/man1/engram.1.gz share/man/man1/engram-commit.1.gz \
    share/bash-completion/completions/engram share/zsh/vendor-completions/_engram \
    share/fish/vendor_completions.d/engram.fish; do
    [ -s "$root/usr/$file" ] || fail "/usr/$file is missing"
done

apt remove engram-memory
inside sh -c 'command -v engram' && fail "engram is still there after its removal"
# there are no settings to purge, so dpkg forgets the package at once
inside dpkg-query -W engram-memory 2>/dev/null && fail "dpkg still knows engram-memory"
apt purge --auto-remove engram-memory-dev libengram-infer0
files >"$root/tmp/after"
diff "$root/tmp/before" "$root/tmp/after" || fail "files stayed behind"
echo "nothing stayed behind"
