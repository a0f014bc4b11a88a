"""Figures of merit over plain lists; no package is needed. Used by evaluate, train_embed.py and train_nli.py, tested by tests/tools/test_training.py."""
import math


def _cuts(scores, right):
    """(least score, found, told) after each distinct score, the highest first: equal scores come together."""
    rows = sorted(zip(scores, right), key=lambda row: -row[0])
    out, found = [], 0
    for n, (score, r) in enumerate(rows, 1):
        found += bool(r)
        if n == len(rows) or rows[n][0] != score:
            out.append((score, found, n))
    return out


def average_precision(scores, right, total):
    """total: how many there are to find, also those that have no score."""
    area = before = 0
    for _, found, told in _cuts(scores, right):
        area += (found - before) * found / told
        before = found
    return area / total if total else math.nan


def recall_at(scores, right, total, precision):
    """(recall, the least score): as many as can be told with this precision. (0, None) where no cut has it."""
    good = [(found, score) for score, found, told in _cuts(scores, right) if found >= precision * told]
    found, score = max(good, key=lambda row: (row[0], -row[1]), default=(0, None))
    return (found / total if total else math.nan), (score if found else None)


MARGIN_WEIGHT, MAX_MARGIN, COPY_COSINE = 5.0, 0.2, 0.9  # as in plugins/detectors/nli/nli.c and core/memory/candidates.h


def crowding(cosine, i, j, known):
    """By how much other facts are nearer to one of the two than they are to each other, at most MAX_MARGIN each, summed. cosine: a matrix by rows; known:
    only facts before it are there. What says nearly the same is no other fact."""
    def gap(i, j):
        nearest = max((cosine[i][k] for k in range(known) if k not in (i, j) and cosine[i][k] < COPY_COSINE), default=cosine[i][j])
        return min(MAX_MARGIN, max(0.0, float(nearest - cosine[i][j])))
    return gap(i, j) + gap(j, i)


def weighed(p, crowding):
    """A probability whose logit falls by how crowded it is."""
    p = min(p, 0.999999)
    odds = p / (1 - p) * math.exp(-MARGIN_WEIGHT * crowding)
    return odds / (1 + odds)


def score_at_alarms(scores, wrong, share):
    """The least score above which at most this share of the wrong ones lies."""
    alarms = sorted((s for s, w in zip(scores, wrong) if w), reverse=True)
    allowed = int(share * len(alarms))
    return alarms[allowed] if allowed < len(alarms) else -math.inf


def calibration_error(probabilities, right, bins=15):
    """Expected calibration error over bins of equal width, and the bins: (mean probability, share right, how many)."""
    sums = [[0.0, 0, 0] for _ in range(bins)]
    for p, r in zip(probabilities, right):
        at = sums[min(bins - 1, int(p * bins))]
        at[0], at[1], at[2] = at[0] + p, at[1] + bool(r), at[2] + 1
    n = sum(s[2] for s in sums)
    return sum(abs(s[0] - s[1]) for s in sums) / max(1, n), [(s[0] / s[2], s[1] / s[2], s[2]) for s in sums if s[2]]


def _ranks(values):
    """Equal values share the mean of their ranks."""
    order, out, i = sorted(range(len(values)), key=values.__getitem__), [0.0] * len(values), 0
    while i < len(order):
        k = i
        while k + 1 < len(order) and values[order[k + 1]] == values[order[i]]:
            k += 1
        for n in range(i, k + 1):
            out[order[n]] = (i + k) / 2
        i = k + 1
    return out


def spearman(x, y):
    a, b = _ranks(x), _ranks(y)
    mean = (len(a) - 1) / 2
    covariance = sum((p - mean) * (q - mean) for p, q in zip(a, b))
    return covariance / math.sqrt(sum((p - mean) ** 2 for p in a) * sum((q - mean) ** 2 for q in b))


def retrieval(ranking, relevant):
    """Of one query: recall in the first 5 and 10, the reciprocal rank of the first relevant place, nDCG@10 of equal gains."""
    places = [i for i, item in enumerate(ranking) if item in relevant]
    gain = sum(1 / math.log2(i + 2) for i in places if i < 10) / sum(1 / math.log2(i + 2) for i in range(min(10, len(relevant))))
    return {"recall@5": sum(i < 5 for i in places) / len(relevant), "recall@10": sum(i < 10 for i in places) / len(relevant),
            "MRR": 1 / (places[0] + 1) if places else 0.0, "nDCG@10": gain}


def mean_of(rows):
    return {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]} if rows else {}
