"""Stores for the trees of the verdict whose labels follow from how they are made, with what notes
and scenarios have little of:

- contrast: the texts of contrast sets of dev, with paraphrases beside what they contradict,
- parallel: sentences that are alike but for names and numbers, "worker 7 listens on port 7007",
  each about another thing, and a few that contradict one of them,
- padded: the scenarios of dev with sentences around their facts that claim nothing,
- small: two to six facts of a scenario or of a store of notes, of which two contradict each other
  or look as if they did: memories that have just begun.

A store has the fields of scenarios that verdict_rows.py reads, and `unknown`: pairs that nobody
labelled. A padded or small store belongs to the one that it is made of in cross-fitting: it has its
name and "-padded" or "-small-" and a number."""
import random

import dataset

# One store holds so many contrast sets: small memories are judged too.
SETS_A_STORE = (1, 8, 1, 4, 1, 2)

# (sentence about one thing, the things, the values, a sentence that claims another value)
PARALLEL = (
    ("worker {} listens on port {}", range(1, 40), range(7001, 7040),
     "the port of worker {} is {}"),
    ("Shard {} of the order table lives on db-{}.", range(40), range(3, 60),
     "db-{1} holds shard {0} of the orders."),
    ("The {} service runs {} replicas in production.",
     "billing search gateway mailer ledger catalog media auth".split(), range(2, 30),
     "{} has {} replicas in production."),
    ("Queue `{}` keeps messages for {} hours.",
     "invoices exports webhooks thumbnails audit refunds imports digests".split(), range(2, 90),
     "A message in the queue `{}` expires after {} hours."),
    ("Feature flag FF-{} belongs to team {}.", range(100, 180),
     "Heron Otter Lynx Badger Marten Falcon Pike Adder".split(),
     "Team {1} owns the feature flag FF-{0}."),
    ("Error E{} means that the {} is missing.", range(100, 190),
     "signature header tenant cursor checksum currency locale region".split(),
     "E{} is raised when there is no {}."),
    ("`{}_TIMEOUT` is {} seconds.", "READ WRITE CONNECT IDLE LOCK DRAIN PROBE RETRY".split(),
     range(1, 120), "{}_TIMEOUT has been set to {} seconds"),
    ("Node {} has {} GB of memory.", "n1 n2 n3 n4 n5 n6 n7 n8 n9".split(),
     (16, 24, 32, 48, 64, 96, 128, 192, 256, 384), "There are {1} GB of RAM in node {0}."),
    ("Cron job {} starts at {}:00 UTC.",
     "backup vacuum reindex rollup digest prune sync archive".split(), range(24),
     "The {} job is started at {} o'clock UTC."),
    ("GET /v2/{} allows {} requests a minute.",
     "orders users carts prices stock labels routes tickets".split(), range(20, 900, 10),
     "The limit on GET /v2/{} is {} requests per minute."),
    ("The office in {} has the subnet 10.{}.0.0/16.",
     "Lisbon Oslo Graz Turin Ghent Bergen Malmo Porto".split(), range(2, 250),
     "10.{1}.0.0/16 is the subnet of the {0} office."),
    ("Migration {} adds the column `{}`.", range(200, 290),
     "locale tax_id archived_at owner_id weight currency sku slug".split(),
     "The column that migration {} adds is `{}`."),
    ("Firmware {} needs at least {} MB of flash.",
     "kestrel merlin osprey harrier goshawk buzzard hobby kite".split(), range(4, 64),
     "Without {1} MB of flash {0} firmware does not boot."),
    ("Tenant {} is on the {} plan.", "acorn birch cedar dogwood elm fir gorse hazel".split(),
     "free starter team business scale enterprise partner trial".split(),
     "The plan of tenant {} is {}."),
    ("Partition {} is replayed by consumer {}.", range(64), range(1, 65),
     "consumer {1} reads partition {0} again"),
    ("Test suite {} takes {} minutes on CI.",
     "unit smoke contract e2e fuzz load visual soak".split(), range(2, 90),
     "On CI the {} suite needs {} minutes."),
    ("Sensor {} reports every {} seconds.", "S1 S2 S3 S4 S5 S6 S7 S8 S9".split(), range(5, 300, 5),
     "There is a reading of sensor {} each {} seconds."),
    ("{} is deployed on {}s.", "checkout storefront backoffice reporting payroll kiosk".split(),
     "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
     "Deployments of {} happen on {}."),
    ("Chapter {} of the manual describes the {} command.", range(1, 30),
     "init push pull sync lint pack seal audit".split(),
     "The {1} command is described in chapter {0} of the manual."),
    ("Region {} stores its backups in {}.", "eu-1 eu-2 us-1 us-2 ap-1 ap-2 sa-1".split(),
     "Frankfurt Dublin Oregon Ohio Tokyo Sydney Montreal Stockholm".split(),
     "{1} is where the backups of region {0} are kept."))

BEFORE = (
    "Read this while looking for something else.", "Checked in the code this morning.",
    "For whoever comes here next.", "Noted during the review of the pull request.",
    "This took me a while to find out.", "From the hand-over call.",
    "Writing this down so that it is not lost.", "Seen while debugging a flaky test.",
    "Confirmed with the person on duty.", "Summary of what I found:",
    "While working on the ticket I came across this.", "Short note for the team.")
AFTER = (
    "I did not look any further.", "Nothing else changed.", "No action needed from anybody.",
    "The ticket is closed.", "Ask in the channel if anything is unclear.",
    "That is all I know about it.", "Took a screenshot for the wiki.",
    "The documentation team was told.", "More on this when I have time.",
    "Everything else looked fine.", "Thanks to the platform people for the help.",
    "It is the same for the whole team, as far as I can tell.")


def fact(number, content, scope="app"):
    return {"id": f"f{number:03}", "content": content, "scope": scope, "agent": "claude-a1",
            "engineer": "noor", "fact_type": "observation", "confidence": 0.9, "provenance": None}


def contrast_stores():
    sets, rng = list(dataset.read_contrast_sets("dev")), random.Random(7)
    start = count = 0
    while start < len(sets):
        size = SETS_A_STORE[count % len(SETS_A_STORE)]
        texts = []  # (text, set, relation)
        for number, c in enumerate(sets[start:start + size]):
            texts.append((c["a"], number, "same"))
            texts += [(r["t"], number, r["rel"]) for r in c["r"]]
        rng.shuffle(texts)
        facts = [fact(i, text, f"part{number}") for i, (text, number, _) in enumerate(texts)]
        conflicts, unknown = [], []
        for i, (_, number, relation) in enumerate(texts):
            for j in range(i):
                if texts[j][1] != number:
                    continue
                both = {relation, texts[j][2]}
                pair = {"a": facts[j]["id"], "b": facts[i]["id"]}
                if both & {"contradicts", "supersedes"}:
                    sure = both & {"same", "specific"}
                    (conflicts if sure else unknown).append(pair)
                elif both in ({"neutral"}, {"general", "specific"}):
                    unknown.append(pair)
        yield {"name": f"contrast-{count}", "facts": facts, "conflicts": conflicts,
               "unknown": unknown}
        start, count = start + size, count + 1


def parallel_stores(templates=4, items=7):
    rng = random.Random(11)
    for number in range(2 * len(PARALLEL) // templates):
        chosen = [PARALLEL[(number * templates + k) % len(PARALLEL)] for k in range(templates)]
        lines = []  # (text, which template, thing, value)
        for k, (sentence, things, values, other) in enumerate(chosen):
            taken = rng.sample(list(things), min(items, len(things)))
            used = rng.sample(list(values), min(items + 1, len(values)))
            pairs = list(zip(taken, used))
            lines += [(sentence.format(*pair), k, *pair) for pair in pairs]
            thing, value = rng.choice(pairs[1:])
            wrong = rng.choice([v for v in used if v != value])
            lines.append((rng.choice((sentence, other)).format(thing, wrong), k, thing, wrong))
            thing, value = pairs[0]
            lines.append((other.format(thing, value), k, thing, value))
        rng.shuffle(lines)
        facts = [fact(i, text, "app") for i, (text, _, _, _) in enumerate(lines)]
        conflicts = [{"a": facts[j]["id"], "b": facts[i]["id"]}
                     for i, (_, k, thing, value) in enumerate(lines) for j in range(i)
                     if lines[j][1] == k and lines[j][2] == thing and lines[j][3] != value]
        yield {"name": f"parallel-{number}", "facts": facts, "conflicts": conflicts, "unknown": []}


def padded_stores():
    rng = random.Random(13)
    for store in dataset.read_scenarios("dev"):
        facts = []
        for f in store["facts"]:
            before, after = rng.choice((1, 0, 1)), rng.choice((0, 1, 1))
            parts = before * [rng.choice(BEFORE)] + [f["content"]] + after * [rng.choice(AFTER)]
            facts.append(f | {"content": " ".join(
                p if p[-1] in ".!?:" else p + "." for p in parts)})
        yield {"name": store["id"] + "-padded", "facts": facts, "conflicts": store["conflicts"],
               "unknown": []}


def small_memories(stores, each):
    """At most `each` small memories of every store, half of them around a conflict if there are as
    many."""
    for store in stores:
        name = store.get("id") or store["name"]
        rng, by_id = random.Random(name), {f["id"]: f for f in store["facts"]}
        chosen = [label for key in ("conflicts", "non_conflicts")
                  for label in rng.sample(store[key], min(each // 2, len(store[key])))]
        for number, label in enumerate(chosen):
            others = sorted(by_id.keys() - {label["a"], label["b"]})
            kept = [label["a"], label["b"]] + rng.sample(others, rng.choice((0, 1, 2, 4)))
            rng.shuffle(kept)
            yield store | {"id": f"{name}-small-{number}", "facts": [by_id[i] for i in kept]} | {
                key: [c for c in store[key] if c["a"] in kept and c["b"] in kept]
                for key in ("conflicts", "non_conflicts")}


def every():
    return [*contrast_stores(), *parallel_stores(), *padded_stores(),
            *small_memories(dataset.read_scenarios("dev"), 10)]
