"""Writes the file of trees that plugins/detectors/nli/trees.h describes. No package is needed.
Used by train_verdict.py and tests."""
import struct

MISSING_LEFT = 0x8000


def nodes_of(nodes):
    """(value, feature, right) of the nodes of one of scikit-learn's trees, the left child
    behind its parent; right is 0 for a leaf."""
    out = []

    def put(i):
        node, at = nodes[i], len(out)
        if node["is_leaf"]:
            out.append((float(node["value"]), 0, 0))
            return
        out.append(None)
        put(node["left"])
        feature = int(node["feature_idx"]) | (MISSING_LEFT if node["missing_go_to_left"] else 0)
        out[at] = (float(node["num_threshold"]), feature, len(out))
        put(node["right"])
    put(0)
    return out


def write(path, names, stages):
    """stages: (trees, base, least, points). A tree is a list as of nodes_of; a point is a sum
    and its probability."""
    trees = [tree for stage in stages for tree in stage[0]]
    points = [point for stage in stages for point in stage[3]]
    with open(path, "wb") as f:
        f.write(b"EGTREES1" + struct.pack("<5I", len(names), len(stages), len(points), len(trees),
                                          sum(map(len, trees))))
        for name in names:
            if len(name.encode()) >= 32:
                raise ValueError(f"the name of a feature is longer than 31 bytes: {name}")
            f.write(name.encode().ljust(32, b"\0"))
        for stage, base, least, of_stage in stages:
            f.write(struct.pack("<IIff", len(stage), len(of_stage), base, least))
        for point in points:
            f.write(struct.pack("<ff", *point))
        f.write(struct.pack(f"<{len(trees)}I", *map(len, trees)))
        for tree in trees:
            for node in tree:
                f.write(struct.pack("<fHH", *node))
