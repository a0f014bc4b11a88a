#!/bin/sh
# Writes what the program prints about itself: manual pages, compressed, and completions for bash,
# zsh and fish. usage: manual.sh FOLDER PROGRAM...
set -eu
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder/man1"
"$@" help --format man >"$folder/man1/engram.1"
"$@" help --format names >"$folder/names"
while read -r name; do
    "$@" help --format man "$name" >"$folder/man1/engram-$name.1" </dev/null
done <"$folder/names"
gzip -9n "$folder"/man1/*
"$@" help --format bash >"$folder/engram"
"$@" help --format zsh >"$folder/_engram"
"$@" help --format fish >"$folder/engram.fish"
