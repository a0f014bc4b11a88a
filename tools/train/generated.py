"""Generated pairs of claims whose label is known by construction: contradictions, agreements and
look-alikes of every family, with a vocabulary of its own for each split (vocabulary.py). Standard
library only; a seed gives the same pairs again. Used by the program generate and by
train_nli.py --generated.

A family is a function (world, label) -> (premise, hypothesis), or None if the draw failed. It draws
first what a claim says, then how."""
import random
import re
from fractions import Fraction

import vocabulary as v
from augment import SPELLED, UNITS, WRONG_FACTORS

LABELS = ("contradiction", "entailment", "neutral")
SHARES = (0.4, 0.3, 0.3)  # of the labels
SPLITS = {"train": (0, 1, 2), "dev": (3,), "test": (4,)}
CONTRADICTION, ENTAILMENT, NEUTRAL = LABELS


def deal(items, split):
    """The part of a list that belongs to a split: train three fifths, dev and test one fifth
    each."""
    return [item for i, item in enumerate(items) if i % 5 in SPLITS[split]]


def amounts_equal():
    """{unit: {other unit: exact factor}}, through any number of steps in the table of units."""
    steps = {}
    for unit, others in UNITS.items():
        for other, factor in others:
            exact = Fraction(factor).limit_denominator(1000000)
            steps.setdefault(unit, {})[other], steps.setdefault(other, {})[unit] = exact, 1 / exact
    out = {}
    for unit in steps:
        reached, todo = {unit: Fraction(1)}, [unit]
        while todo:
            at = todo.pop()
            for other, factor in steps[at].items():
                if other not in reached:
                    reached[other] = reached[at] * factor
                    todo.append(other)
        out[unit] = reached
    return out


FACTORS = amounts_equal()


def spelled(n):
    return SPELLED[n] if n < len(SPELLED) else str(n)


class World:
    """Draws for one split: subjects, frames, sentences."""

    def __init__(self, split, rng):
        self.split, self.rng = split, rng

    def pick(self, items):
        return self.rng.choice(items)

    def subject(self):
        return self.pick(v.NAMES[self.split]), self.pick(v.NOUNS)

    def other_subject(self, subject):
        """A subject that is easily confused: another part of the same system, or the same part of
        another."""
        while True:
            new = (subject[0], self.pick(v.NOUNS)) if self.rng.random() < 0.5 else (
                self.pick(v.NAMES[self.split]), subject[1])
            if new != subject:
                return new

    def named(self, subject):
        name, noun = subject
        return self.pick((f"the {name} {noun}", f"the {name} {noun}", f"{name}'s {noun}",
                          f"`{name.lower()}-{noun}`"))

    def deal(self, items):
        return deal(items, self.split)

    def clause(self, frames, subject=None, **slots):
        if subject:
            slots["s"] = self.named(subject)
        return self.pick(self.deal(frames)).format(**slots)

    def sentence(self, clause):
        if self.rng.random() < 0.2:
            clause = self.pick(self.deal(v.OPENERS)) + clause
        clause = re.sub(r" ,", ",", clause)
        return (clause[0].upper() + clause[1:] if clause[0] != "`" else clause) + "."

    def say(self, frames, subject=None, **slots):
        return self.sentence(self.clause(frames, subject, **slots))

    def two(self, items):
        return self.rng.sample(items, 2)


# ---- how numbers are written ----


def number(w, x):
    """The exact number as text, or None if it is too long."""
    if x.denominator != 1:
        text = f"{float(x):.2f}".rstrip("0")
        return text if Fraction(text) == x and x < 1000 else None
    return f"{int(x):,}" if x >= 10000 or (x >= 1000
                                           and w.rng.random() < 0.5) else str(
                                               int(x)) if x < 10 ** 7 else None


def quantity(w, amount, convert):
    """The amount in its unit, or in another one in which the number is readable."""
    ways = []
    for unit, factor in FACTORS[amount[1]].items():
        x = Fraction(str(amount[0])) * factor
        text = number(w, x) if Fraction(1, 4) <= x < 10 ** 6 else None
        if text and (convert or unit == amount[1]):
            ways.append((text + " " + (unit[:-1] if text == "1" and len(unit) > 2
                                       and unit[-1] == "s" else unit)))
    return w.pick(ways) if ways else None


def differs(one, other):
    return Fraction(str(one[0])) * FACTORS[one[1]].get(other[1], 0) != Fraction(str(other[0]))


# ---- families ----


def values_with_units(w, label):
    claim = w.pick(sorted(v.QUANTITIES))
    frames, amounts = v.QUANTITIES[claim]
    subject, amount = w.subject(), w.pick(amounts)
    hypothesis_of = subject
    if label == ENTAILMENT:
        new = amount
    else:
        new = (Fraction(str(amount[0])) * Fraction(w.pick(WRONG_FACTORS)).limit_denominator(60),
               amount[1]) if w.rng.random() < 0.3 else w.pick(amounts)
        new = (float(new[0]), new[1])
        if not differs(amount, new):
            return None
    if label == NEUTRAL:
        if w.rng.random() < 0.5:
            hypothesis_of = w.other_subject(subject)
        else:
            frames_2, amounts_2 = v.QUANTITIES[
                w.pick([c for c in sorted(v.QUANTITIES) if c != claim])]
            return w.say(frames, subject, v=quantity(w, amount, False)), w.say(frames_2, subject,
                v=quantity(w, w.pick(amounts_2), False))
    text = quantity(w, new, w.rng.random() < 0.6)
    return (w.say(frames, subject, v=quantity(w, amount, False)),
            w.say(frames, hypothesis_of, v=text)) if text else None


def bounds(w, label):
    """A claim allows an interval: disjoint intervals contradict, an interval inside the other
    entails it, otherwise both can be true."""
    frames, subject, top = v.BOUNDED[w.pick(sorted(v.BOUNDED))], w.subject(), 10 ** 9

    def draw():
        kind, a = w.pick(sorted(v.BOUNDS)), w.rng.randint(2, 40)
        b = a + w.rng.randint(2, 20)
        low, high = {"least": (a, top), "most": (0, b), "between": (a, b), "exact": (a, a)}[kind]
        return low, high, w.clause(v.BOUNDS[kind], a=a, b=b)
    one, other = draw(), draw()
    apart, inside = one[1] < other[0] or other[1] < one[0], other[0] <= one[0] and one[1] <= other[
        1]
    if label == NEUTRAL and w.rng.random() < 0.3:
        return w.say(frames, subject, q=one[2]), w.say(frames, w.other_subject(subject), q=other[2])
    if label != (CONTRADICTION if apart else ENTAILMENT if inside else NEUTRAL):
        return None
    return w.say(frames, subject, q=one[2]), w.say(frames, subject, q=other[2])


def listed(items, last="and"):
    return ", ".join(items[:-1]) + f" {last} " + items[-1]


def lists(w, label):
    items, closed, holds, lacks = v.LISTS[w.pick(sorted(v.LISTS))]
    subject, some = w.subject(), w.rng.sample(items, w.rng.randint(3, 6))
    mine = some[:w.rng.randint(2, len(some) - 1)]
    outside = some[len(mine):]

    def only(who, what):
        return w.say(closed, who, l=listed(what), o=listed(what, "or"))

    if label == CONTRADICTION:
        return w.pick((lambda: (only(subject, mine), w.say(holds, subject, x=w.pick(outside))),
                       lambda: (only(subject, mine), w.say(lacks, subject, x=w.pick(mine))),
                       lambda: (only(subject, mine), only(subject, mine + outside[:1])),
                       lambda: (lambda x: (w.say(holds, subject, x=x), w.say(lacks, subject, x=x)))(
                           mine[0]),
                       lambda: (only(subject, mine), only(subject, outside[:1] + mine[1:]))
                       if len(mine) > 1 else None))()
    if label == ENTAILMENT:
        return w.pick((lambda: (only(subject, mine), w.say(holds, subject, x=w.pick(mine))),
                       lambda: (only(subject, mine), w.say(lacks, subject, x=w.pick(outside))),
                       lambda: (only(subject, mine),
                                only(subject, w.rng.sample(mine, len(mine))))))()
    other = w.other_subject(subject)
    return w.pick((lambda: (only(subject, mine), w.say(holds, other, x=w.pick(outside))),
                   lambda: (only(subject, mine), only(other, outside + mine[:1])),
                   lambda: (w.say(holds, subject, x=mine[0]), w.say(holds, subject, x=outside[0])),
                   lambda: (w.say(holds, subject, x=mine[0]), w.say(lacks, subject, x=outside[0])),
                   lambda: (w.say(holds, subject, x=w.pick(mine)), only(subject, mine))
                   if len(mine) > 1 else None))()


def setting(w):
    """(frames, a value, another value)"""
    frames, values = v.SETTINGS[w.pick(sorted(v.SETTINGS))]
    return (frames, *w.two(values))


def default_or_override(w, label):
    frames, one, other = setting(w)
    subject, place = w.subject(), w.pick(w.deal(v.PLACES["environment"]))

    def default(who, value):
        return w.say(v.DEFAULTS, c=w.clause(frames, who, v=value, w=""))

    def override(who, value):
        return w.say(v.OVERRIDES, w=place, c=w.clause(frames, who, v=value, w=""))

    way = w.pick((default, override))
    if label == NEUTRAL:
        one_way, other_way = (default, override) if way == default else (override, default)
        return (one_way(subject, one), other_way(subject, other)) if w.rng.random() < 0.7 else (
            way(subject, one), way(w.other_subject(subject), other))
    return way(subject, one), way(subject, one if label == ENTAILMENT else other)


def qualified(w, label):
    frames, one, other = setting(w)
    subject, places = w.subject(), w.deal(v.PLACES[w.pick(sorted(v.PLACES))])
    here, there = w.two(places)

    def at(place, value, who=subject):
        clause = w.clause(frames, who, v=value, w="" if w.rng.random() < 0.4 else " " + place)
        return w.sentence(clause if clause.endswith(place) else f"{place}, {clause}")

    if label == NEUTRAL:
        return (at(here, one), at(there, other)) if w.rng.random() < 0.8 else (at(here, one),
            at(here, other, w.other_subject(subject)))
    if w.rng.random() < 0.25:  # what is true everywhere is true here
        wide = w.say(frames, subject, v=one, w=", " + w.pick(w.deal(v.EVERYWHERE)))
        return wide, at(here, one if label == ENTAILMENT else other)
    return at(here, one), at(here, one if label == ENTAILMENT else other)


DEFINITE = re.compile(r"old wiki|the rewrite|the first release|the migration|old data centre|2017")


def not_now(w, label):
    frames, one, other = setting(w)
    subject = w.subject()

    def now(value, who=subject):
        return w.say(frames, who, v=value, w="")

    if label != NEUTRAL:
        second = one if label == ENTAILMENT else other
        if w.rng.random() < 0.6:
            return now(one), now(second)
        frame = w.pick([f for f in w.deal(v.NOT_NOW["historic"])
                        if DEFINITE.search(f)])  # both speak of the same time
        return tuple(w.sentence(frame.format(c=w.clause(frames, subject, v=value, w="")))
                     for value in (one, second))
    if w.rng.random() < 0.2:
        return now(one), now(other, w.other_subject(subject))
    return now(one), w.sentence(w.clause(v.NOT_NOW[w.pick(sorted(v.NOT_NOW))],
                                         c=w.clause(frames, subject, v=other, w="")))


def order(w, label):
    subject = w.subject()
    x, y, z = w.rng.sample(v.STEPS, 3)
    premise = w.say(v.BEFORE, subject, x=x, y=y)
    if label == CONTRADICTION:
        return premise, w.say(v.BEFORE, subject, x=y, y=x)
    if label == ENTAILMENT:
        return premise, w.say(v.BEFORE, subject, x=x, y=y)
    return premise, w.pick((lambda: w.say(v.BEFORE, subject, x=x, y=z),
                            lambda: w.say(v.BEFORE, subject, x=z, y=y),
                            lambda: w.say(v.BEFORE, w.other_subject(subject), x=y, y=x)))()


AGAINST = {("all", "none"), ("all", "some not"), ("none", "some")}
FOLLOWS = {("all", "some"), ("none", "some not")} | {(k, k) for k in v.QUANTIFIED}


def quantifiers(w, label):
    subject, thing, mark = w.subject(), w.pick(v.THINGS), w.pick(v.MARKS)
    one, other = w.pick(sorted(v.QUANTIFIED)), w.pick(sorted(v.QUANTIFIED))
    who, things = subject, thing
    if (one, other) in AGAINST or (other, one) in AGAINST:
        if label == NEUTRAL and w.rng.random() < 0.6:
            who, things = w.pick(((w.other_subject(subject), thing),
                                  (subject, w.pick([t for t in v.THINGS if t != thing]))))
        elif label != CONTRADICTION:
            return None
    elif label != (ENTAILMENT if (one, other) in FOLLOWS else NEUTRAL):
        return None
    return w.say(v.QUANTIFIED[one], subject, t=thing, m=mark), w.say(v.QUANTIFIED[other], who,
        t=things, m=mark)


def two_sided(w, label, sides, draw, slots):
    """A claim and its opposite: sides are the frames of both, draw chooses what it is about, slots
    gives the words for it."""
    subject, about = w.subject(), w.pick(draw)
    one, other = sides if w.rng.random() < 0.5 else sides[::-1]
    premise = w.say(one, subject, **slots(about))
    if label == CONTRADICTION:
        return premise, w.say(other, subject, **slots(about))
    if label == ENTAILMENT:
        return premise, w.say(one, subject, **slots(about))
    if w.rng.random() < 0.5:
        return premise, w.say(other, w.other_subject(subject), **slots(about))
    return premise, w.say(other, subject, **slots(w.pick([x for x in draw if x != about])))


def negations(w, label):
    return two_sided(w, label, (v.DOES, v.DOES_NOT), v.HABITS,
                     lambda habit: {"does": habit[0], "do": habit[1]})


def flags(w, label):
    return two_sided(w, label, (v.ON, v.OFF), v.FEATURES, lambda feature: {"f": feature})


def one_value(w, label, frames, values, key):
    """A claim about something that has one value at a time."""
    subject, (one, other) = w.subject(), w.two(values)
    who = w.other_subject(subject) if label == NEUTRAL else subject
    return w.say(frames, subject, **{key: one}), w.say(frames, who,
                                                       **{key: one if label == ENTAILMENT
                                                          else other})


def owners_and_sites(w, label):
    (mine, values), (others, _) = w.rng.sample([(v.OWNS, v.TEAMS), (v.STANDS, v.CITIES)], 2)
    if label == NEUTRAL and w.rng.random() < 0.3:
        subject = w.subject()
        return w.say(v.OWNS, subject, v=w.pick(v.TEAMS)), w.say(v.STANDS, subject,
            v=w.pick(v.CITIES))
    return one_value(w, label, mine, values, "v")


def spelled_numbers(w, label):
    claim = w.pick(sorted(v.COUNTED))
    subject, (one, other) = w.subject(), w.two(range(2, 13))
    if label == NEUTRAL and w.rng.random() < 0.5:
        return w.say(v.COUNTED[claim], subject,
                     n=spelled(one)), w.say(v.COUNTED[
                         w.pick([c for c in sorted(v.COUNTED) if c != claim])], subject, n=other)
    who = w.other_subject(subject) if label == NEUTRAL else subject
    written = [spelled, str] if w.rng.random() < 0.5 else [str, spelled]
    return w.say(v.COUNTED[claim], subject, n=written[0](one)), w.say(v.COUNTED[claim], who,
        n=written[1](one if label == ENTAILMENT else other))


def percents(w, label):
    claim = w.pick(sorted(v.SHARES))
    subject, (one, other) = w.subject(), w.two(sorted(v.PERCENT))

    def share(n):
        return w.pick((f"{n} %", f"{n}%", f"{n} percent", *v.PERCENT[n]))
    if label == NEUTRAL and w.rng.random() < 0.5:
        return w.say(v.SHARES[claim], subject,
                     p=share(one)), w.say(v.SHARES[
                         w.pick([c for c in sorted(v.SHARES) if c != claim])], subject,
                         p=share(other))
    who = w.other_subject(subject) if label == NEUTRAL else subject
    return w.say(v.SHARES[claim], subject, p=share(one)), w.say(v.SHARES[claim], who,
        p=share(one if label == ENTAILMENT else other))


def arithmetic(w, label):
    claim, rng = w.pick(sorted(v.ARITHMETIC)), w.rng

    def draw():
        """(numbers of the one way to count, the number of the other)"""
        a, b = rng.randint(2, 12), rng.randint(2, 9)
        if claim == "polling":
            a = rng.choice((2, 3, 4, 5, 6, 10, 12, 15, 20, 30))
        if claim == "backups":
            a = rng.choice((2, 3, 4, 5, 7, 10, 14, 21, 30, 45, 60, 90))
        return (a, b), {"retries": a + 1, "nodes": a * b, "polling": 60 // a, "backups": 24 * a,
                        "hosts": a + b}[claim]
    (numbers, total), (_, wrong) = draw(), draw()
    if label != ENTAILMENT and w.rng.random() < 0.4:
        wrong = {"retries": numbers[0], "nodes": sum(numbers), "polling": numbers[0],
                 "backups": 12 * numbers[0], "hosts": total
                 + 1}[claim]  # a plausible mistake
    if label != ENTAILMENT and wrong == total:
        return None
    subject = w.subject()
    who = w.other_subject(subject) if label == NEUTRAL else subject
    one = w.say(v.ARITHMETIC[claim][0], subject, a=numbers[0], b=numbers[1])
    other = w.say(v.ARITHMETIC[claim][1], who, a=total if label == ENTAILMENT else wrong)
    return (one, other) if w.rng.random() < 0.5 or claim in ("nodes",
        "hosts") and label == ENTAILMENT else (other, one)


def comparisons(w, label):
    x = w.subject()
    y = w.other_subject(x)
    z = w.other_subject(x)
    more, less = w.pick(v.COMPARED) if w.rng.random() < 0.5 else w.pick(v.COMPARED)[::-1]
    frames, (a, b) = v.MORE, (w.named(x), w.named(y))
    premise = w.say(frames, x=a, y=b, r=more)
    if label == CONTRADICTION:
        return premise, w.pick((w.say(frames, x=b, y=a, r=more), w.say(frames, x=a, y=b, r=less)))
    if label == ENTAILMENT:
        return premise, w.pick((w.say(frames, x=b, y=a, r=less), w.say(frames, x=a, y=b, r=more)))
    if z == y:
        return None
    return premise, w.pick((w.say(frames, x=w.named(z), y=a, r=more),
                            w.say(frames, x=a, y=w.named(z), r=less),
                            w.say(frames, x=b, y=a,
                                  r=w.pick([r for pair in v.COMPARED for r in pair
                                            if r not in (more, less)]))))


def dates(w, label):
    subject, (one, other) = w.subject(), sorted(w.two(range(12 * 15)))

    def written(n):
        return f"{v.MONTHS[n % 12]} {2008 + n // 12}"
    frames = w.pick((v.STARTS, v.ENDS))
    if label == ENTAILMENT:
        return w.say(frames, subject, d=written(one)), w.say(frames, subject, d=written(one))
    if label == CONTRADICTION:
        if w.rng.random() < 0.5:
            return w.say(v.STARTS, subject, d=written(other)), w.say(v.ENDS, subject,
                d=written(one))  # it would end before it begins
        return w.say(frames, subject, d=written(one)), w.say(frames, subject, d=written(other))
    if w.rng.random() < 0.6:
        who = w.other_subject(subject)
        return w.say(frames, subject, d=written(one)), w.say(frames, who, d=written(other))
    return w.say(v.STARTS, subject, d=written(one)), w.say(v.STARTS, w.other_subject(subject),
                                                           d=written(one))


FAMILIES = {"value_unit": values_with_units, "bounds": bounds, "list": lists,
            "default_override": default_or_override, "qualified": qualified, "not_now": not_now,
            "order": order,
            "quantifier": quantifiers, "negation": negations, "flag": flags,
            "owner_site": owners_and_sites, "spelled_number": spelled_numbers, "percent": percents,
            "arithmetic": arithmetic,
            "comparison": comparisons, "date": dates}


def told_twice(one, other):
    """Whether the sentences differ only by an opener."""
    one, other = one.lower(), other.lower()
    return one.endswith(other) or other.endswith(one)


def pairs_of(split, count, seed):
    """[(premise, hypothesis, label, family)], all different; families in turn, labels by SHARES."""
    rng, seen, names, out = random.Random(f"{split} {seed}"), set(), list(FAMILIES), []
    world = World(split, rng)
    while len(out) < count:
        family, label = names[len(out) % len(names)], rng.choices(LABELS, SHARES)[0]
        for _ in range(1000):
            pair = FAMILIES[family](world, label)
            if pair and pair not in seen and not told_twice(*pair):
                break
        else:
            raise ValueError(
                f"{family} has no more pairs for {label} in {split}: ask for fewer than {count}")
        seen.add(pair)
        if label == CONTRADICTION and rng.random() < 0.5:  # symmetric, unlike the other labels
            pair = pair[::-1]
        out.append((*pair, label, family))
    return out
