"""Changes hand-written sentences so that the label of the pair is known: another value, version,
unit, name of the same kind or the opposite word contradicts; the same quantity spelled out or
converted agrees; the same claim about another subject or environment is neutral.
Used by train_nli.py. rng chooses what is changed, so a seed gives the same pairs again."""
import collections
import re

from pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, texts_of

WORD = re.compile(r"`[^`]+`|[A-Za-z][\w./@:-]*\w|[A-Za-z]")
NUMBER = re.compile(r"(?<![\w.`/-])\d[\d,]*(?:\.\d+)?(?![\w:/.-]*\d)")
BOUND = re.compile(
    # a bound: both values can be true
    r"(at least|at most|up to|about|around|over|under|between|than|roughly|approximately|-|to)\s*$")
VERSION = re.compile(r"(?<![\w./-])v?\d+\.\d+(?:\.\d+)?(?![\w./%-])")
SPELLED = "zero one two three four five six seven eight nine ten eleven twelve".split()
SPELLED_WORD = re.compile(r"\b(two|three|four|five|six|seven|eight|nine|ten|twelve)\b", re.I)
QUANTITY = re.compile(
    r"(?<![\w.`/-])(\d[\d,]*(?:\.\d+)?)\s?(ms|s|seconds|min|minutes|hours|h|days|weeks|KiB|MiB|"
    r"GiB|GB|TB|MB|km|m|kHz|MHz|%|percent)(?![\w/%-])")
UNITS = {  # unit -> the same quantity in others, and the factor
    "ms": (("s", 1 / 1000), ("milliseconds", 1)), "s": (("ms", 1000), ("seconds", 1)),
    "seconds": (("ms", 1000), ("s", 1)),
    "min": (("s", 60), ("minutes", 1)), "minutes": (("seconds", 60), ("min", 1)),
    "h": (("hours", 1), ("minutes", 60)),
    "hours": (("minutes", 60), ("h", 1)), "days": (("hours", 24),), "weeks": (("days", 7),),
    "KiB": (("bytes", 1024),), "MiB": (("KiB", 1024),),
    "GiB": (("MiB", 1024),), "MB": (("kB", 1000),), "GB": (("MB", 1000),), "TB": (("GB", 1000),),
    "m": (("cm", 100),), "km": (("m", 1000),),
    "kHz": (("Hz", 1000),), "MHz": (("kHz", 1000),), "%": (("percent", 1),), "percent": (("%", 1),)}
WRONG_FACTORS = (2, 10, 0.5, 60, 1 / 60, 100, 0.1, 1.5)
OPPOSITES = [pair.split("/") for pair in (
    "enabled/disabled always/never before/after synchronously/asynchronously "
    "synchronous/asynchronous ascending/descending allowed/forbidden mandatory/optional "
    "required/optional oldest/newest minimum/maximum encrypted/unencrypted read-only/writable "
    "mutable/immutable accepts/rejects accepted/rejected "
    "inside/outside internal/external case-sensitive/case-insensitive signed/unsigned "
    "little-endian/big-endian manual/automatic manually/automatically "
    "increases/decreases inclusive/exclusive hourly/daily nightly/weekly stateless/stateful "
    "eagerly/lazily serially/concurrently lowercase/uppercase").split()]
KINDS = [kind.split("|") for kind in (
    "PostgreSQL|MySQL|MariaDB|SQLite|CockroachDB|Oracle|MongoDB|DynamoDB|Cassandra",
    "Redis|Memcached|Valkey|Hazelcast",
    "Kafka|RabbitMQ|NATS|Pulsar|SQS|Kinesis", "AWS|GCP|Azure|Hetzner",
    "us-east-1|eu-west-1|eu-central-1|ap-southeast-2|us-west-2",
    "Python|Go|Rust|Java|TypeScript|Kotlin|C++|Ruby|Elixir", "React|Vue|Svelte|Angular",
    "JSON|Protobuf|Avro|MessagePack|CBOR|XML",
    "REST|GraphQL|gRPC", "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
    "January|February|March|April|June|July|August|September|October|November|December",
    "SHA-256|SHA-1|BLAKE3|MD5", "gzip|zstd|lz4|brotli|snappy",
    "Terraform|Pulumi|Ansible", "GitHub Actions|GitLab CI|Jenkins|Buildkite",
    "S3|GCS|Azure Blob Storage|MinIO", "UTC|CET|Pacific time", "LRU|LFU|FIFO",
    "RS256|HS256|ES256|EdDSA", "nginx|Envoy|HAProxy|Traefik", "Prometheus|Datadog|New Relic",
    "Slack|PagerDuty|Opsgenie", "UTF-8|UTF-16|Latin-1",
    "HTTP/1.1|HTTP/2|HTTP/3", "TCP|UDP|QUIC", "Debian|Alpine|Ubuntu", "int32|int64|uint64",
    "bilinear|bicubic|nearest-neighbour", "row-major|column-major")]
ENVIRONMENTS = ("staging", "production", "the dev cluster", "CI", "the preview environment",
                "the load-test environment")


def whole(word):
    return re.compile(r"(?<![\w-])" + re.escape(word) + r"(?![\w-])")


def put(text, match, new, group=0):
    return text[:match.start(group)] + new + text[match.end(group):]


def plain(x, digits):
    return f"{x:.{digits}f}".rstrip("0").rstrip(".")


def other_number(text, rng):
    found = [m for m in NUMBER.finditer(text)
             if not BOUND.search(text[max(0, m.start() - 14):m.start()])
             and not re.match(r"(19|20)\d\d$", m.group())]
    if not found:
        return None
    m = rng.choice(found)
    digits = m.group().replace(",", "")
    if "." in digits:
        new = plain(float(digits) * rng.choice((0.5, 1.5, 2, 3, 0.1)), 2)
    else:
        v = int(digits)
        near = [v * 2, v * 3, v * 5, v * 10, v // 2, v // 3, v + 1, v + 2, v - 1, v + 5, v + 10,
                v + rng.randint(1, max(2, v))]
        new = str(rng.choice([x for x in near if x > 0 and x != v]))
    return put(text, m, new) if new != digits else None


def other_version(text, rng):
    found = list(VERSION.finditer(text))
    if not found:
        return None
    m = rng.choice(found)
    parts = re.findall(r"\d+", m.group())
    i = rng.randrange(len(parts))
    parts[i] = str(max(0, int(parts[i]) + rng.choice((1, 2, 3, -1, 5))))
    new = ("v" if m.group()[0] == "v" else "") + ".".join(parts)
    return put(text, m, new) if new != m.group() else None


def other_spelled(text, rng):
    m = SPELLED_WORD.search(text)
    if not m:
        return None
    n = rng.choice([x for x in range(2, 13) if x != SPELLED.index(m.group().lower())])
    new = SPELLED[n] if rng.random() < 0.6 else str(n)
    return put(text, m, new.capitalize() if m.group()[0].isupper() else new)


def opposite(text, rng):
    found = [(a, b) for x, y in OPPOSITES for a, b in ((x, y), (y, x)) if whole(a).search(text)]
    if not found:
        return None
    a, b = rng.choice(found)
    return whole(a).sub(b, text, count=1)


def other_of_kind(text, rng):
    found = [(name, kind) for kind in KINDS for name in kind if whole(name).search(text)]
    if not found:
        return None
    name, kind = rng.choice(found)
    new = rng.choice([x for x in kind if x != name])
    return None if new in text else whole(name).sub(lambda m: new, text, count=1)


def respelled(text, rng):
    m = SPELLED_WORD.search(text)
    if m:
        return put(text, m, str(SPELLED.index(m.group().lower())))
    found = [m for m in NUMBER.finditer(text) if m.group() in map(str, range(2, 13))]
    if not found:
        return None
    m = rng.choice(found)
    return put(text, m, SPELLED[int(m.group())])


def converted(text, rng, factor=1.0):
    """The quantity in another unit, multiplied by factor."""
    found = list(QUANTITY.finditer(text))
    if not found:
        return None
    m = rng.choice(found)
    unit, k = rng.choice(UNITS[m.group(2)])
    x = float(m.group(1).replace(",", "")) * k * factor
    number = plain(x, 4)
    if x < 0.001 or len(number) > 9 or abs(float(number) - x) > 1e-9 * x:
        return None
    if x >= 10000 and "." not in number and rng.random() < 0.5:
        number = f"{int(number):,}"
    return put(text, m, number + ("" if unit == "%" else " ") + unit)


def wrongly_converted(text, rng):
    return converted(text, rng, rng.choice(WRONG_FACTORS))


CHANGES = (other_number, other_version, other_spelled, opposite, other_of_kind, wrongly_converted)
KEEPS = (respelled, converted)


def changed(text, rng):
    """The text with one claim changed so that both cannot be true, or None."""
    for change in rng.sample(CHANGES, len(CHANGES)):
        new = change(text, rng)
        if new and new != text:
            return new
    return None


def subjects(contrast_sets):
    """For each contrast set the words that name its subject: they occur in most of its texts and in
    few other contrast sets."""
    spread, counts = collections.Counter(), []
    for c in contrast_sets:
        texts = [c["a"]] + [r["t"] for r in c["r"]]
        counts.append((collections.Counter(w for t in texts for w in set(WORD.findall(t))),
                       len(texts)))
        spread.update(counts[-1][0].keys())
    out = []
    for count, n in counts:
        names = [w for w, k in count.items() if k >= max(3, 0.6 * n) and spread[w] <= 3
                 and len(w) > 3 and (w[0].isupper() or w[0] == "`" or re.search(r"[_./-]", w))]
        out.append(sorted(names, key=lambda w: (-count[w], w)))
    return out


def of_contrast_set(c, names, all_names, rng):
    same, out = [c["a"]] + texts_of(c, "same"), []
    against, neutral = texts_of(c, "contradicts"), texts_of(c, "neutral")

    def add(a, b, label):
        if b and a != b:
            out.append((a, b, label) if rng.random() < 0.5 else (b, a, label))

    for text in rng.sample(same + against + neutral, min(4, len(same + against + neutral))):
        add(text, changed(text, rng), CONTRADICTION)
        for keep in KEEPS:
            if rng.random() < 0.5:
                add(text, keep(text, rng), ENTAILMENT)
    for text in same:  # in other words, with another value
        other = rng.choice(same)
        if other != text:
            add(text, changed(other, rng), CONTRADICTION)
            add(text, rng.choice(KEEPS)(other, rng), ENTAILMENT)
    if names and len(all_names) > 1:
        def renamed(text):
            return text and names[0] in text and text.replace(names[0],
                rng.choice([x for x in all_names if x != names[0]]))
        for text in same[:2]:
            add(text, renamed(rng.choice(against)), NEUTRAL)
            add(text, renamed(rng.choice(same)), NEUTRAL)
            add(text, renamed(changed(text, rng)), NEUTRAL)
    a = c["a"]
    if rng.random() < 0.5 and a[0].isupper() and not re.search(r"staging|production|prod|dev|CI",
            a):
        new = changed(a, rng)
        if new:
            one, two = rng.sample(ENVIRONMENTS, 2)
            add(f"In {one}: {a}", f"In {two}: {new}", NEUTRAL)
            add(f"In {one}: {a}", f"In {one}: {new}", CONTRADICTION)
    return out


THING = re.compile(
    r"\b[Tt]he (server|service|daemon|broker|tool|program|library|client|engine|compiler|system|"
    r"application|proxy|database|platform)\b(?! [a-z]+s\b)")


def named(text, name, rng):
    """The same claim with the name of the product added."""
    thing = THING.search(text)
    if thing and rng.random() < 0.6:
        return text[:thing.start()] + rng.choice((name, f"the {name} {thing.group(1)}")) + text[
            thing.end():]
    first = text.split(" ", 1)[0]
    small = text[0].lower() + text[1:] if first.isalpha() and first.istitle() else text
    ways = [f"In {name}, {small}", f"With {name}, {small}", f"{name}: {text}",
            f"When you run {name}, {small}", f"As for {name}, {small}"]
    if text.endswith("."):
        ways += [f"{text[:-1]} in {name}.", f"{text[:-1]}, as {name} does it."]
    return rng.choice(ways)


def with_names(pairs, names, share, rng):
    """Adds a product name to both texts of a share of the pairs, so that a shared name does not
    mark a contradiction."""
    out = []
    for a, b, label in pairs:
        if rng.random() < share:
            name = rng.choice(names)
            a, b = named(a, name, rng), named(b, name, rng)
        out.append((a, b, label))
    return out


def of_facts(texts, rng, share):
    """For a share of the facts: a pair with one claim changed, and a pair that agrees."""
    out = []
    for text in texts:
        if rng.random() < share:
            for new, label in ((changed(text, rng), CONTRADICTION),
                               (rng.choice(KEEPS)(text, rng), ENTAILMENT)):
                if new and new != text:
                    out.append((text, new, label))
    return out


def of_contrast_sets(contrast_sets, rng):
    names = subjects(contrast_sets)
    all_names = [n[0] for n in names if n]
    return [p for c, own in zip(contrast_sets, names)
            for p in of_contrast_set(c, own, all_names, rng)]
