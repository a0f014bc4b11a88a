"""Runs models as the product does, by `engram nli` and `engram embed` with JSONL through pipes.
Used by evaluate and train_nli.py."""
import json
import os
import subprocess
import tempfile

import numpy as np

from pairs import LABELS


class Engine:
    def __init__(self, program, threads=0, form=None):
        """form: the weight format to run in; None: as stored."""
        if not os.access(program, os.X_OK):
            raise SystemExit(
                f"{program} is not an executable program: build Engram (tools/run) or name it "
                f"with --engram")
        self.program, self.home = os.path.abspath(program), tempfile.TemporaryDirectory()
        self.options = (["--threads", str(threads)] if threads else []) + (["--format", form]
            if form else [])
        self.count = {"nli": 0, "embed": 0}

    def version(self):
        return subprocess.run([self.program, "--version"], capture_output=True, text=True,
                              check=True).stdout.split("\n")[0]

    def ask(self, command, folder, lines):
        """One process for all lines. Packed weights are cached in the temporary folder of this
        object."""
        done = subprocess.run([self.program, command, "--model", os.path.abspath(folder),
                               *self.options], input="\n".join(map(json.dumps, lines)) + "\n",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, ENGRAM_HOME=self.home.name))
        answers = done.stdout.splitlines()
        if done.returncode or len(answers) != len(lines):
            raise SystemExit(
                f"engram {command} --model {folder}: {len(answers)} answers for {len(lines)} "
                f"lines\n{done.stderr[-2000:]}")
        self.count[command] += len(lines)
        return map(json.loads, answers)

    def classify(self, folder, pairs):
        """[pairs, 3]: probabilities in the order of LABELS."""
        if not pairs:
            return np.zeros((0, len(LABELS)), np.float32)
        answers = self.ask("nli", folder, [{"premise": a, "hypothesis": b} for a, b in pairs])
        return np.array([[answer[label] for label in LABELS] for answer in answers], np.float32)

    def embed(self, folder, texts):
        """[texts, width], each of length 1."""
        vectors = np.array([answer["embedding"]
                            for answer in self.ask("embed", folder,
                                                   [{"text": text} for text in texts])], np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
