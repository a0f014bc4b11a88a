"""Measures over plain lists; no package is needed. Used by evaluate, train_embed.py and
train_nli.py; tested by tests/tools/test_training.py."""
import math


def _cuts(scores, positive):
    """(score, true positives, reported) at each distinct score as the threshold, the highest
    first."""
    rows = sorted(zip(scores, positive), key=lambda row: -row[0])
    out, found = [], 0
    for n, (score, r) in enumerate(rows, 1):
        found += bool(r)
        if n == len(rows) or rows[n][0] != score:
            out.append((score, found, n))
    return out


def average_precision(scores, positive, total):
    """total: the number of positives, including those that have no score."""
    area = before = 0
    for _, found, reported in _cuts(scores, positive):
        area += (found - before) * found / reported
        before = found
    return area / total if total else math.nan


def recall_at(scores, positive, total, precision):
    """(recall, threshold) with the highest recall at this precision or better; (0, None) when no
    threshold reaches it."""
    good = [(found, score) for score, found, reported in _cuts(scores, positive)
            if found >= precision * reported]
    found, score = max(good, key=lambda row: (row[0], -row[1]), default=(0, None))
    return (found / total if total else math.nan), (score if found else None)


# As in plugins/detectors/nli/nearest.c and core/memory/candidates.h.
MARGIN_WEIGHT, MAX_MARGIN, COPY_COSINE = 5.0, 0.2, 0.9


def margin(cosine, i, j, known):
    """By how much other facts are nearer to i or to j than these are to each other, at most
    MAX_MARGIN for each of the two, summed. cosine: a matrix by rows; known: only facts before that
    place count. A fact that says nearly the same (COPY_COSINE) does not count as another one."""
    def one_side(i, j):
        nearest = max((cosine[i][k] for k in range(known)
                       if k not in (i, j) and cosine[i][k] < COPY_COSINE), default=cosine[i][j])
        return min(MAX_MARGIN, max(0.0, float(nearest - cosine[i][j])))
    return one_side(i, j) + one_side(j, i)


def hubness_corrected(p, margin):
    """A probability whose logit is lowered by MARGIN_WEIGHT for each unit of margin (local
    scaling, as in CSLS)."""
    p = min(p, 0.999999)
    odds = p / (1 - p) * math.exp(-MARGIN_WEIGHT * margin)
    return odds / (1 + odds)


def score_at_alarms(scores, negative, share):
    """The lowest threshold above which at most this share of the negatives lies."""
    alarms = sorted((s for s, w in zip(scores, negative) if w), reverse=True)
    allowed = int(share * len(alarms))
    return alarms[allowed] if allowed < len(alarms) else -math.inf


def calibration_error(probabilities, positive, bins=15):
    """Expected calibration error over bins of equal width, and the bins: (mean probability, share
    of positives, size)."""
    sums = [[0.0, 0, 0] for _ in range(bins)]
    for p, r in zip(probabilities, positive):
        at = sums[min(bins - 1, int(p * bins))]
        at[0], at[1], at[2] = at[0] + p, at[1] + bool(r), at[2] + 1
    n = sum(s[2] for s in sums)
    return sum(abs(s[0] - s[1]) for s in sums) / max(1,
                                                     n), [(s[0] / s[2], s[1] / s[2], s[2])
                                                          for s in sums if s[2]]


def calibration_error_of_equal_bins(probabilities, positive, bins):
    """Expected calibration error over bins that hold equally many, or one more, in order of
    probability; fewer rows than bins: each is its own."""
    rows = sorted(zip(probabilities, positive))
    bins = min(bins, len(rows))
    ends = [len(rows) * i // bins for i in range(bins + 1)]
    return sum(abs(sum(p - bool(r) for p, r in rows[a:b]))
               for a, b in zip(ends, ends[1:])) / len(rows)


def _ranks(values):
    """Ranks; equal values get the mean of their ranks."""
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
    """Of one query: recall@5, recall@10, the reciprocal rank of the first relevant document,
    nDCG@10 with equal gains."""
    places = [i for i, item in enumerate(ranking) if item in relevant]
    gain = sum(1 / math.log2(i + 2) for i in places if i < 10) / sum(1 / math.log2(i + 2)
        for i in range(min(10, len(relevant))))
    return {"recall@5": sum(i < 5 for i in places) / len(relevant),
            "recall@10": sum(i < 10 for i in places) / len(relevant),
            "MRR": 1 / (places[0] + 1) if places else 0.0, "nDCG@10": gain}


def mean_of(rows):
    return {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]} if rows else {}
