#!/usr/bin/env bash
# run.sh SECONDS [TARGET...]: builds the fuzz targets with clang and runs each (or those named: text, mcp ...) for so many
# seconds, as many side by side as there are processors, beginning from small seeds and from words of the sources.
set -eu
seconds=${1:-10}
[ $# -gt 0 ] && shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
CC=clang cmake -G Ninja -S . -B build-fuzz -DENGRAM_FUZZ=ON -DENGRAM_SANITIZE=fuzzer-no-link,address,undefined -DENGRAM_TESTS=OFF
ninja -C build-fuzz fuzz
work=$(mktemp -d) golden=tests/models/golden
trap 'rm -rf "$work"' EXIT

# words FILE...: the words of the string literals of these sources, as a dictionary
words() { grep -ohE '"[A-Za-z0-9_/. -]+"' "$@" | tr -d '"' | tr ' ' '\n' | grep -E '..' | sort -u | sed 's/.*/"&"/'; }

# seed TARGET: its folder of seeds and its dictionary
seed() {
    mkdir "$work/$1"
    case $1 in
    text) # the facts of one store, one each
        sed -n 's/^ *"content": "\(.*\)",$/\1/p' tools/train/data/stores/dev/a-gavelhouse.json | (cd "$work/$1" && split -a 4 -l 1)
        words core/text/*.c >"$work/$1.dict" ;;
    markdown) # the first letter tells the kind of file: m, t, j
        for kind in m t; do
            cat README.md ARCHITECTURE.md CONTRIBUTING.md | (cd "$work/$1" && split -a 4 -l 12 --filter="{ printf $kind; cat; } >\$FILE" - $kind)
        done
        printf 'j{"content":"The port is 80.","scope":"web"}\n{"content":"It is\\u0020 81."}\n' >"$work/$1/j"
        words tools/markdown.c >"$work/$1.dict" ;;
    mcp)
        cp tests/fuzz/seeds/*.jsonl "$work/$1"
        words plugins/frontends/mcp/*.[ch] plugins/toolsets/memory/*.c >"$work/$1.dict" ;;
    model) # places and values: nothing to begin from
        printf '1\n\n\n' >"$work/$1/one"
        printf '"0"\n"9"\n' >"$work/$1.dict" ;;
    encode*)
        cp $golden/texts.txt tests/models/compare_tokenizers.py "$work/$1"
        words tests/models/compare_tokenizers.py >"$work/$1.dict" ;;
    bpe)
        { cat $golden/tokenizers/bpe-files/vocab.json; printf '\0'; cat $golden/tokenizers/bpe-files/merges.txt; } >"$work/$1/bpe"
        words models/tokenizer/*.c >"$work/$1.dict" ;;
    spm)
        cp $golden/tokenizers/unigram-spm/spm.model "$work/$1"
        words models/tokenizer/sentencepiece.c >"$work/$1.dict" ;;
    *)
        if [ "$1" = tokenizer ]; then for kind in bpe unigram; do cp $golden/tokenizers/$kind-json/tokenizer.json "$work/$1/$kind"; done; fi
        cp tests/fuzz/seeds/*.jsonl "$work/$1"
        for file in tests/models/golden/*/*.json models/weights/*/*.json; do cp "$file" "$work/$1/${file//\//_}"; done
        words models/*.c models/tokenizer/*.c >"$work/$1.dict" ;;
    esac
}

# fuzz TARGET: a line that says how it went; what it found goes to build-fuzz/ and its report to the output
fuzz() {
    if "build-fuzz/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build-fuzz/$1-" \
        -dict="$work/$1.dict" "$work/$1" >"$work/$1.log" 2>&1; then
        echo "fuzz_$1: $(grep '^Done' "$work/$1.log")"
    else
        cat "$work/$1.log"
        echo "fuzz_$1: FAILED"
        return 1
    fi
}

[ $# -gt 0 ] || set -- $(cd build-fuzz/fuzz && ls fuzz_* | sed 's/fuzz_//')
failed=0
while [ $# -gt 0 ]; do
    running=()
    for _ in $(seq "$(nproc)"); do
        [ $# -gt 0 ] || break
        seed "$1"
        fuzz "$1" &
        running+=($!)
        shift
    done
    for job in "${running[@]}"; do wait "$job" || failed=1; done
done
exit $failed
