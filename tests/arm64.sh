#!/usr/bin/env bash
# The engine for 64-bit Arm, cross-built; its tests without threads under qemu. Debian gives cmocka for arm64 beside the machine's own
# packages. Tests with threads are left out: pthread_create itself never returned under qemu-user 7.2 on a machine where this was tried.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! dpkg-query -W -f='${Status}' libcmocka-dev:arm64 2>/dev/null | grep -q 'ok installed'; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" dpkg --add-architecture arm64
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libcmocka-dev:arm64 >/dev/null
fi
cmake --preset arm64-cross
ninja -C build-arm64-cross
ctest --test-dir build-arm64-cross --output-on-failure --timeout 240 -R '^test_(json|base|kernels)$'
