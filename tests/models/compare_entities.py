#!/usr/bin/env python3
"""compare_entities.py - `engram label` against the token-classification pipeline of transformers,
from text to entities, with every aggregation, over made-up texts in batches: labels and places must
be equal, scores within 2e-5.

usage: compare_entities.py ENGRAM MODEL_FOLDER     (a BERT model for token classification)

Exits with 77, and says so, without the packages torch, transformers and safetensors
(tests/models/requirements.txt). The answers of one version are kept in
golden/tokens-f32/entities.tsv; this asks the version that is installed."""

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile

TEXTS, TOLERANCE = 100, 2e-5
PIECES = (
    "the limit is of and not a retries request timeout service cache seconds five The LIMIT "
    "Retries unbelievable caching xyzzy 5 30 1,000 "
    "caf\u00e9 \u4e2d\u6587 \U0001f600 U.S. don't (a) [b] x-y \u00c5ngstr\u00f6m e\u0301t\u00e9 "
    "\u0645\u0631\u062d\u0628\u0627 ..."
).split()


def make_texts():
    """From none to more than the model takes; with spaces of several kinds."""
    source = random.Random(11)
    texts = ["", " ", "the"]
    while len(texts) < TEXTS:
        words = source.choices(PIECES, k=source.choice((1, 3, 8, 20, 80)))
        texts.append("".join(word + source.choice((" ", " ", " ", "", "  ", "\t"))
                             for word in words))
    return texts


def ours(engram, folder, texts, aggregation):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    env = {k: v for k, v in os.environ.items() if not k.startswith("ENGRAM_")
           or k == "ENGRAM_ISA"}
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [os.path.abspath(engram), "label", "--model", os.path.abspath(folder), "--aggregation",
             aggregation],
            input=lines, stdout=subprocess.PIPE, env=env | {"ENGRAM_HOME": home}, cwd=home,
            check=True,
        )
    return [
        [(e["label"], e["begin"], e["end"], e["score"]) for e in json.loads(line)["entities"]]
        for line in done.stdout.splitlines()
    ]


def theirs(pipe, texts):
    """Places in bytes. A text without a token is refused by some versions: it has no entities."""
    answers = []
    for text in texts:
        found = pipe(text) if text.strip() else []
        answers.append(
            [(e["entity_group"], *(len(text[: e[at]].encode()) for at in ("start", "end")),
              float(e["score"])) for e in found]
        )
    return answers


def differs(a, b):
    return len(a) != len(b) or any(x[:3] != y[:3] or abs(x[3] - y[3]) > TOLERANCE for x,
                                   y in zip(a, b))


def main(engram, folder):
    for package in ("torch", "transformers", "safetensors"):
        if not importlib.util.find_spec(package):
            print(
                f"skip: the package {package} is not there; nothing was tested "
                f"(tests/models/requirements.txt names all)")
            sys.exit(77)
    os.environ["HF_HUB_OFFLINE"] = "1"
    import safetensors.torch
    import transformers

    transformers.utils.logging.set_verbosity_error()
    # without from_pretrained, which wants metadata in the file that not every writer leaves there
    model = transformers.AutoModelForTokenClassification.from_config(
        transformers.AutoConfig.from_pretrained(folder)).eval()
    missing = model.load_state_dict(safetensors.torch.load_file(
        os.path.join(folder, "model.safetensors")), strict=False).missing_keys
    if missing:
        sys.exit(f"{folder}: the file lacks {missing}")
    longest = model.config.max_position_embeddings
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, model_max_length=longest)
    texts, bad = make_texts(), 0
    for aggregation in ("simple", "first", "average", "max"):
        pipe = transformers.pipeline(
            "token-classification", model=model, tokenizer=tokenizer,
            aggregation_strategy=aggregation, device="cpu"
        )
        wanted, found = theirs(pipe, texts), ours(engram, folder, texts, aggregation)
        if len(found) != len(texts):
            sys.exit(f"{aggregation}: {len(texts)} texts, {len(found)} answers")
        wrong = [i for i, (a, b) in enumerate(zip(wanted, found)) if differs(a, b)]
        for i in wrong[:3]:
            print(
                f"{aggregation}: {texts[i]!r}\n  transformers {wanted[i]}\n  engram       "
                f"{found[i]}")
        bad += len(wrong)
        print(
            f"{aggregation}: {len(texts)} texts, {sum(map(len, wanted))} entities, {len(wrong)} "
            f"texts differ")
        if not sum(map(len, wanted)):
            sys.exit("no entities: nothing was tested")
    sys.exit(bad > 0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
