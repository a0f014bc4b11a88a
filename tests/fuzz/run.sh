#!/usr/bin/env bash
# run.sh SECONDS [TARGET...]: builds the fuzz targets with clang and runs each (or those named: mcp,
# text ...) for so many seconds, as many side by side as there are processors, beginning from small
# seeds and from words of the sources.
set -eu
seconds=${1:-10}
[ $# -gt 0 ] && shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
CC=clang cmake -G Ninja -S . -B build-fuzz -DENGRAM_FUZZ=ON -DENGRAM_TESTS=OFF \
    -DENGRAM_SANITIZE=fuzzer-no-link,address,undefined
rm -rf build-fuzz/fuzz # a target that is gone must not be run from an earlier build
ninja -C build-fuzz fuzz
work=$(mktemp -d) golden=tests/models/golden seeds=tests/fuzz/seeds
trap 'rm -rf "$work"' EXIT
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # fuzz_model writes a file with each execution

# words FILE...: the words of the string literals of these sources, plain and quoted: a dictionary
words() {
    grep -ohE '"[^"\\]{2,40}"' "$@" | tr -d '"' | tr ' ' '\n' | LC_ALL=C grep -E '^[!-~]{2,}$' |
        sort -u | sed 's/.*/"&"\n"\\"&\\""/'
}

# seed TARGET: its folder of seeds and its dictionary
seed() {
    local to=$work/$1 sources
    mkdir "$to"
    case $1 in
    text) # the facts of one scenario, one in each file
        head -n 1 tools/train/data/scenarios/dev.jsonl | grep -oE '"content": "([^"\\]|\\.)*"' |
            sed 's/^"content": "\(.*\)"$/\1/' | (cd "$to" && split -a 4 -l 1)
        sources=core/text/*.c ;;
    statements)
        cat README.md CONTRIBUTING.md docs/configuration.md | (cd "$to" && split -a 4 -l 12)
        sources=core/text/*.c ;;
    markdown) # the first letter tells the kind of file: m, t, j, x (MDX), n (notebook), r (.rst),
        # a (.adoc)
        for kind in m t x r a; do
            cat README.md ARCHITECTURE.md CONTRIBUTING.md |
                (cd "$to" && split -a 4 -l 12 --filter="{ printf $kind; cat; } >\$FILE" - $kind)
        done
        printf 'j{"content":"The port is 80.","scope":"web"}\n' >"$to/j"
        printf '{"content":"It is\\u0020 81."}\n' >>"$to/j"
        printf 'n{"cells":[{"cell_type":"markdown","source":["# A\\n","It is 80."]}]}' >"$to/n"
        sources=core/docs/*.c ;;
    exchange) # a line of each record in a file of its own
        local id='"fact_id":"01900000-0000-7000-8000-000000000001"'
        printf '%s\n' "{\"record\":\"fact\",$id,\"content\":\"a\"}" \
            "{\"record\":\"link\",$id,\"kind\":\"update\"}" \
            '{"record":"conflict","score":0.5,"span_a":[0,1],"status":"resolved"}' \
            '{"record":"answer","verdict":"same","was_review":true}' '{"record":"end","facts":1}' \
            'seen in src/a.c:4-7' | (cd "$to" && split -a 4 -l 1)
        sources="core/memory/exchange.c core/access/citation.c" ;;
    mcp)
        cp $seeds/*.jsonl "$to"
        sources="plugins/frontends/mcp/*/*.[ch] plugins/toolsets/memory/*.c" ;;
    install_*) # configuration files of clients, with and without our entry
        printf '{\n\t"a": 1, // b\n\t"mcp": {"x": [1,], /* c */},\n}\n' >"$to/a"
        printf '{"mcp":{"engram":{"command":"/usr/bin/engram","args":["mcp"]}}}' >"$to/b"
        printf 'a.b = "c" # d\n[mcp]\n[mcp.engram]\ncommand = "x"\n[[e]]\nf = [{g=1}]' >"$to/c"
        printf "[mcp.'engram'.env]\r\nA = '''\r\nb'''\r\n\r\n[h]\r\n" >"$to/d"
        printf '#!/bin/sh\r\n# < x\r\na\r\n# >\r\nexit 0' >"$to/e"
        printf 'a\n\n# <\na\n\nb\n# >\n\nz\n' >"$to/f"
        printf '{"hooks":{"SessionStart":[{"hooks":[{"command":"x recall --hook"},{}]}]}}' >"$to/g"
        sources="tools/install/jsonc*.c tools/install/toml.c tests/tools/test_clients.py" ;;
    answers) # the first letter says how it was asked: a by a model, b by a form
        local said='a{"jsonrpc":"2.0","id":"x","result":{"role":"assistant","model":"m",'
        printf '%s"content":%s}}' "$said" \
            '{"type":"text","text":"{\"verdict\": \"same\", \"reason\": \"r\"}"}' >"$to/a"
        printf '%s"content":%s}}' "$said" '[{"type":"text","text":" same "}]' >"$to/w"
        printf 'b{"jsonrpc":"2.0","id":"x","result":{"action":"accept","content":%s}}' \
            '{"verdict":"no","reason":null}' >"$to/b"
        sources="plugins/frontends/mcp/protocol/questions.c" ;;
    model) # the first letter tells the file; of the two of tensors (a, b) places and values
        printf 'a\0\0\0' >"$to/a"
        printf 'b\0\0\0' >"$to/b"
        printf c >"$to/c"
        sed -n '/^const char tiny_config/,/;$/s/^[^"]*"\(.*\)".*/\1/p' tests/models/tiny_model.c |
            sed 's/\\n$//; s/\\"/"/g' >>"$to/c"
        { printf d; cat $golden/mean-f32/vocab.txt; } >"$to/d"
        printf 'e{"weight_map":{"x":"b.safetensors","y":"a.safetensors"}}' >"$to/e"
        printf 'f{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}' >"$to/f"
        printf 'g{"max_seq_length":24}' >"$to/g"
        printf '%s' 'h{"do_lower_case":true,' \
            '"added_tokens_decoder":{"4":{"content":"[MASK]","lstrip":true}}}' >"$to/h"
        printf 'i{"[MASK]":4}' >"$to/i"
        sources="models/config.c models/tensors.c models/tokenizer/tokenizer_open.c" ;;
    encode*)
        cp $golden/texts.txt tests/models/compare_tokenizers.py "$to"
        sources=tests/models/compare_tokenizers.py ;;
    safetensors) cp $seeds/*.safetensors "$to"; sources=models/safetensors.c ;;
    tokenizer)
        cp $seeds/*.tokenizer.json "$to"
        sources="models/tokenizer/tokenizer_json.c models/tokenizer/tokenizer.c" ;;
    spm)
        cp $seeds/*.spm "$to"
        sources="models/tokenizer/sentencepiece.c models/tokenizer/tokenizer_open.c" ;;
    bpe) cp $seeds/*.bpe "$to"; sources=models/tokenizer/tokenizer_open.c ;;
    vocab) cp $golden/mean-f32/vocab.txt "$to"; sources=models/tokenizer/tokenizer_open.c ;;
    *) # JSON of all kinds
        cp $seeds/*.json* "$to"
        for file in $golden/*/*.json models/weights/*/*.json; do
            cp "$file" "$to/${file//\//_}"
        done
        sources="models/config.c models/tokenizer/tokenizer_json.c" ;;
    esac
    words $sources >"$work/$1.dict"
}

# fuzz TARGET: a line that says how it went; what it found goes to build-fuzz/ and its report to the
# output. Without the weighing of inputs (entropic) and with a small quarantine the same time holds
# up to twice the executions, and as much is covered.
fuzz() {
    if ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=4 "build-fuzz/fuzz/fuzz_$1" \
        -max_total_time="$seconds" -max_len=4096 -len_control=100 -entropic=0 -timeout=30 \
        -rss_limit_mb=2048 -artifact_prefix="build-fuzz/$1-" -dict="$work/$1.dict" \
        "$work/$1" >"$work/$1.log" 2>&1; then
        echo "fuzz_$1: $(grep '^Done' "$work/$1.log")"
    else
        cat "$work/$1.log"
        echo "fuzz_$1: FAILED"
        return 1
    fi
}

if [ $# -eq 0 ]; then
    [ -d build-fuzz/fuzz ] && set -- $(cd build-fuzz/fuzz && ls | sed -n 's/^fuzz_//p')
    [ $# -gt 0 ] || {
        echo "build-fuzz/fuzz holds no fuzz program: see how build-fuzz was configured" >&2
        exit 1
    }
fi
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
