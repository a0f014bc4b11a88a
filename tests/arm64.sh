#!/usr/bin/env bash
# The engine for 64-bit Arm, cross-built; its tests under qemu. Debian gives cmocka for arm64 beside
# the machine's own packages. The tests run on one CPU, where the pool starts no threads:
# pthread_create itself never returned under qemu-user 7.2 on a machine where this was tried, so the
# tests that make threads of their own are left out.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! dpkg-query -W -f='${Status}' libcmocka-dev:arm64 2>/dev/null | grep -q 'ok installed'; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" dpkg --add-architecture arm64
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends libcmocka-dev:arm64 >/dev/null
fi
cmake --preset arm64-cross -DENGRAM_TESTS=ON
tests=(json base kernels model tokenizer hostile hostile_config)
ninja -C build-arm64-cross "${tests[@]/#/test_}"
cpu=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
taskset -c "$cpu" ctest --test-dir build-arm64-cross --no-tests=error --output-on-failure \
    --timeout 300 -R "^test_($(IFS='|' && echo "${tests[*]}"))\$"
