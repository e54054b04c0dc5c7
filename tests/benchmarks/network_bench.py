#!/usr/bin/env python3
"""Times networks against ONNX Runtime, or against themselves built in another way: the same ONNX file with the same seeded
random weights, in turn, round after round.

    packaging/test-peers                                   # installs ONNX Runtime and the light models into build/peers
    tests/benchmarks/network_bench.py [--threads 1 2] [--rounds 5] [--log-folder build/logs/networks] \\
        [--library onednn] [--build WORDS] [--than WORDS]... MODEL...

A MODEL is an .onnx or .net file. With a log folder, NAME.json in it (what `net tune` wrote) gives the schedules; without one,
kernels have the schedules that nobody measured, for as many cores as there are threads. With a library, kernels that it computes
faster here are left to it. --build says further words for `net build` ("--fusion better --strategies measured"); with --than,
which may be repeated, it is not ONNX Runtime that is compared with but the network as those words build it, and no ONNX Runtime
is needed. Ratios are the other's time divided by ours: above 1 is faster.
"""
import argparse
import glob
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for folder in glob.glob(os.path.join(ROOT, "build/peers/onnx*")) + glob.glob(
        os.path.join(ROOT, "build/peers/onnx*/lib/python3*/site-packages")):
    sys.path.insert(0, folder)

CLI = os.path.join(ROOT, "build/release/bin/loopscope-cli")


def cli(*words):
    run = subprocess.run([CLI, "net", *words], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(words)}: {run.stderr}")
    return run.stdout


def session_of(path, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def inputs_of(session):
    import numpy
    random = numpy.random.default_rng(0)
    inputs = {}
    for each in session.get_inputs():
        shape = [dim if isinstance(dim, int) else 1 for dim in each.shape]
        if each.type == "tensor(float)":
            inputs[each.name] = random.uniform(-1, 1, shape).astype(numpy.float32)
        else:
            inputs[each.name] = random.integers(0, 2, shape).astype(numpy.int64)
    return inputs


def runtime_of(path, threads, runs):
    """Seconds of a run in ONNX Runtime, asked again and again."""
    session = session_of(path, threads)
    inputs = inputs_of(session)
    session.run(None, inputs)

    def seconds():
        times = []
        for _ in range(runs):
            begin = time.perf_counter()
            session.run(None, inputs)
            times.append(time.perf_counter() - begin)
        return statistics.median(times)
    return seconds


def plan_of(words, onnx, plan, threads, runs):
    """The same of the network as `net build` makes it of these words."""
    cli("build", onnx, *words, "--out", plan)
    return lambda: json.loads(cli("profile", plan, "--threads", str(threads), "--runs", str(runs), "--json"))["seconds"]


def compare(model, threads, options):
    """Ratios by what is compared with."""
    name = os.path.splitext(os.path.basename(model))[0]
    with tempfile.TemporaryDirectory() as folder:
        onnx = os.path.join(folder, name + ".onnx")
        weights = [] if model.endswith(".net") else ["--random-weights", "1"]
        cli("export", model, *weights, "--format", "onnx", "--out", onnx)
        log = os.path.join(options.log_folder, name + ".json") if options.log_folder else ""
        records = ["--log", log] if log and os.path.exists(log) else []
        common = records or ["--target", f"llvm -num-cores={threads}"]
        libraries = [word for library in options.library for word in ("--library", library)]
        built = shlex.split(options.build) if options.build else ["--fusion", options.fusion]
        wanted = {"ours": built} | {words: shlex.split(words) for words in options.than}
        ways = {way: plan_of([*common, *libraries, *words], onnx, os.path.join(folder, f"{i}.plan"), threads, options.runs)
                for i, (way, words) in enumerate(wanted.items())}
        if not options.than:
            ways["ONNX Runtime"] = runtime_of(onnx, threads, options.runs)
        times = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, seconds in ways.items():
                times[way].append(seconds())
    ours = times.pop("ours")
    ratios = {}
    for way, theirs in times.items():
        each = sorted(their / our for our, their in zip(ours, theirs))
        ratios[way] = statistics.median(each)
        print(f"{name:24} {threads} thread{'s' if threads > 1 else ' '}  ours {1e3 * statistics.median(ours):9.3f} ms  "
              f"{way} {1e3 * statistics.median(theirs):9.3f} ms  ratio {ratios[way]:.3f} "
              f"({each[0]:.3f} to {each[-1]:.3f}){'' if records else '  untuned'}", flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--log-folder", default="")
    parser.add_argument("--fusion", default="compatible")
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--build", default="")
    parser.add_argument("--than", action="append", default=[])
    options = parser.parse_args()
    for threads in options.threads:
        compared = [compare(model, threads, options) for model in options.models]
        for way in compared[0]:
            ratios = [each[way] for each in compared]
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{threads} thread{'s' if threads > 1 else ''}, {way}: geometric mean {mean:.3f}, "
                  f"least {min(ratios):.3f}", flush=True)


if __name__ == "__main__":
    main()
