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
    folder=$seeds/$(basename "$target") golden=tests/models/golden
    mkdir -p "$folder"
    case $target in
    *_encode*) cp $golden/texts.txt tests/models/compare_tokenizers.py "$folder/" ;;
    *_bpe) { cat $golden/tokenizers/bpe-files/vocab.json; printf '\0'; cat $golden/tokenizers/bpe-files/merges.txt; } >"$folder/bpe" ;;
    *_spm) cp $golden/tokenizers/unigram-spm/spm.model "$folder/" ;;
    *_tokenizer) for kind in bpe unigram; do cp $golden/tokenizers/$kind-json/tokenizer.json "$folder/$kind.json"; done ;;
    *) cp $golden/*/*.json models/weights/*/*.json "$folder/" 2>/dev/null || true ;;
    esac
    "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -artifact_prefix=build-fuzz/ "$folder"
done
