"""contestants.py - Engram, PyTorch, ONNX Runtime and llama.cpp, each in a process of its own, which
waits without using CPU while another one runs. bench/peers/run.py starts them and gives the turns.
Each gets its input prepared (texts for Engram, whose tokenizer is part of its call; token ids for
the others) and returns normalised vectors."""

import multiprocessing
import os
import time


class Engram:
    """Variants are formats."""

    def __init__(self, settings):
        import engram

        self.models = {
            (form, threads): engram.Model(settings["model"], threads, form, settings["library"])
            for form in settings["formats"]
            for threads in settings["threads"]
        }
        self.variants = {"f32": "Engram f32", "s8": "Engram s8"}
        self.variants = {name: self.variants[name] for name in settings["formats"]}
        self.version = "ISA " + next(iter(self.models.values())).isa

    def tokens(self, texts):
        """Token ids, and the seconds spent on them."""
        tokenizers = [next(iter(self.models.values())).tokenizer(text) for text in texts]
        begun = time.perf_counter()
        for run in tokenizers:
            run()
        seconds = time.perf_counter() - begun
        return [run() for run in tokenizers], seconds

    def prepare(self, variant, threads, texts, ids):
        return self.models[variant, threads].embedder(texts)


class PyTorch:
    """Variants are implementations of attention."""

    def __init__(self, settings):
        import torch
        from export_onnx import Embedding

        self.torch, self.version = torch, torch.__version__
        self.models = {name: Embedding(settings["model"], name) for name in ("sdpa", "eager")}
        self.variants = {name: "PyTorch f32" for name in self.models}

    def prepare(self, variant, threads, texts, ids):
        self.torch.set_num_threads(threads)
        model, tensor = self.models[variant], self.torch.from_numpy(ids)

        def run():
            with self.torch.inference_mode():
                return model(tensor).numpy()

        return run


class OnnxRuntime:
    """Variants are the files of export_onnx.py."""

    def __init__(self, settings):
        import onnxruntime

        self.version = onnxruntime.__version__
        self.variants = {
            name: "ONNX Runtime " + ("int8" if "int8" in name else "f32")
            for name in ("plain", "fused", "plain-int8", "fused-int8")
        }
        self.sessions = {}
        for name in self.variants:
            for threads in settings["threads"]:
                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads, options.log_severity_level = threads, 3
                self.sessions[name, threads] = onnxruntime.InferenceSession(
                    os.path.join(settings["converted"], name + ".onnx"), options,
                    providers=["CPUExecutionProvider"]
                )

    def prepare(self, variant, threads, texts, ids):
        session, feed = self.sessions[variant, threads], {"ids": ids}
        if variant.startswith("fused"):
            feed["mask"] = ids * 0 + 1
        return lambda: session.run(None, feed)[0]


class LlamaCpp:
    """The package's llama.cpp, called in the process; its answers are Python lists. Flash
    attention, 32 sequences and batches of 512 tokens were its fastest."""

    def __init__(self, settings):
        import numpy
        import xllamacpp

        self.numpy, self.version = numpy, f"xllamacpp {xllamacpp.__version__}"
        self.variants, self.servers = {"flash": "llama.cpp f32"}, {}
        for threads in settings["threads"]:
            p = xllamacpp.CommonParams()
            p.model.path, p.embedding, p.pooling_type = (
                os.path.join(settings["converted"], "model.gguf"),
                True,
                xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN,
            )
            p.n_parallel, p.n_ctx, p.n_batch, p.n_ubatch = 32, 32 * 512, 512, 512
            p.embd_normalize, p.verbosity = 2, 0
            p.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
            p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
            self.servers[threads] = xllamacpp.Server(p)

    def prepare(self, variant, threads, texts, ids):
        server, question = self.servers[threads], {"model": "m", "input": ids.tolist()}

        def run():
            answer = server.handle_embeddings(question)
            rows = sorted(answer["data"], key=lambda row: row["index"])
            return self.numpy.array([row["embedding"] for row in rows], self.numpy.float32)

        return run


def take_turn(call, seconds):
    """Calls for about `seconds`, at most 20 times: [(wall, CPU)] of each and the result. Of several
    the first, with cold caches, does not count."""
    times, result, begun = [], None, time.perf_counter()
    while len(times) < 20 and (not times or time.perf_counter() - begun < seconds):
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return times[1:] or times, result


def serve(pipe, kind, settings):
    contestant = kind(settings)
    pipe.send((contestant.version, contestant.variants))
    while (order := pipe.recv()) is not None:
        name, arguments = order
        if name == "turn":
            seconds, *rest = arguments
            pipe.send(take_turn(contestant.prepare(*rest), seconds))
        else:
            pipe.send(getattr(contestant, name)(*arguments))


class Worker:
    """The process of one contestant."""

    def __init__(self, kind, settings):
        self.kind, context = kind.__name__, multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, kind, settings), daemon=True)
        self.process.start()
        other.close()
        self.version, self.variants = self.answer()

    def answer(self):
        try:
            return self.pipe.recv()
        except EOFError:
            raise SystemExit(f"run.py: {self.kind} ended: what it said stands above") from None

    def ask(self, name, *arguments):
        self.pipe.send((name, arguments))
        return self.answer()

    def close(self):
        self.pipe.send(None)
        self.process.join()
