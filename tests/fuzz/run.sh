#!/usr/bin/env bash
# run.sh SECONDS: builds the fuzz targets with clang and runs each for so many seconds, beginning from small seeds.
set -eu
seconds=${1:-10}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
CC=clang cmake -G Ninja -S . -B build-fuzz -DENGRAM_FUZZ=ON -DENGRAM_SANITIZE=fuzzer-no-link,address,undefined -DENGRAM_TESTS=OFF -DENGRAM_INFER_ONLY=ON -DENGRAM_OPENBLAS=OFF
ninja -C build-fuzz
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
for target in build-fuzz/fuzz/fuzz_*; do
    [ -x "$target" ] || continue
    mkdir -p "$seeds/$(basename "$target")"
    cp tests/models/golden/*/*.json models/weights/*/*.json "$seeds/$(basename "$target")/" 2>/dev/null || true
    "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -artifact_prefix=build-fuzz/ "$seeds/$(basename "$target")"
done
