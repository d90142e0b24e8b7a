#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What a tool costs in a training step of a transformer under torch.compile: two copies of the model, one compiled by
Triton's ptxas and one by PASTA's, stepped in turn in one process.

  BENCHMARK_PTXAS=…/libexec/pasta/ptxas pasta run TOOL --route ptx -- transformer.py pairs --output rows.json
  transformer.py profile     time on the GPU by kernel, by torch.profiler: what share Triton's kernels have
"""

import argparse
import os

os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # in this process: workers would have their assembler from its start

import torch  # noqa: E402 (reads the variable)
import torch._inductor.config  # noqa: E402
import torch._inductor.utils  # noqa: E402

import pairs  # noqa: E402
import two_assemblers  # noqa: E402

BATCH, LENGTH, WIDTH, HEADS, LAYERS, WORDS = 8, 1024, 1024, 16, 2, 32_000


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.project, self.join = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        parts = self.project(self.before(x)).view(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(*parts.unbind(0), is_causal=True)
        x = x + self.join(mixed.transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        return x + self.narrow(torch.nn.functional.gelu(self.widen(self.between(x))))


class Transformer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(WORDS, WIDTH), torch.nn.Embedding(LENGTH, WIDTH)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.last, self.head = torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, WORDS)

    def forward(self, tokens, expected):
        x = self.words(tokens) + self.places.weight
        for block in self.blocks:
            x = block(x)
        scores = self.head(self.last(x))
        return torch.nn.functional.cross_entropy(scores.view(-1, WORDS), expected.view(-1))


class Training:
    """Forward, backward and optimiser, all compiled."""

    def __init__(self):
        torch.manual_seed(1)
        self.model = Transformer().cuda()
        self.tokens, self.expected = (torch.randint(WORDS, (BATCH, LENGTH), device="cuda") for _ in range(2))
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.compiled = torch.compile(self.model)
        self.advance = torch.compile(self.optimiser.step)

    def step(self):
        with torch.autocast("cuda", torch.bfloat16):
            loss = self.compiled(self.tokens, self.expected)
        loss.backward()
        self.advance()
        self.optimiser.zero_grad()
        return loss

    def time(self, runs=1):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begin.record()
        for _ in range(runs):
            self.step()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / runs


def train(variant):
    """A training that is compiled, and its losses until then."""
    torch._dynamo.reset()
    with two_assemblers.assembler(variant), torch._inductor.utils.fresh_cache():
        training = Training()
        # The optimiser is compiled anew in the first steps: that must go through the same assembler.
        losses = [training.step().item() for _ in range(12)]
        torch.cuda.synchronize()
    return training, losses


def compare(chosen):
    native, native_losses = train("native")
    free_before = torch.cuda.mem_get_info()[0]
    reserved_before = torch.cuda.memory_reserved()
    tool, losses = train("tool")
    grown = free_before - torch.cuda.mem_get_info()[0] - (torch.cuda.memory_reserved() - reserved_before)
    print(f"last losses: {native_losses[-1]} natively, {losses[-1]} with the tool", flush=True)
    samples = pairs.measure(native.time, tool.time, chosen.pairs)
    row = pairs.make_row("transformer", LAYERS, *samples, max(0, grown), native_losses == losses)
    pairs.show(row)
    if chosen.output:
        pairs.write(chosen.output, [row])


def profile():
    from torch.profiler import ProfilerActivity
    training = Training()
    for _ in range(12):
        training.step()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[ProfilerActivity.CUDA]) as seen:
        training.step()
        torch.cuda.synchronize()
    kernels = [(e.key, e.count, e.self_device_time_total) for e in seen.key_averages() if e.self_device_time_total > 0]
    whole = sum(time for _, _, time in kernels)
    of_triton = [k for k in kernels if k[0].startswith("triton_")]
    print(f"{sum(k[1] for k in kernels)} launches, {whole / 1000:.3f} ms; Triton's: "
          f"{sum(k[1] for k in of_triton)} launches, {sum(k[2] for k in of_triton) / whole:.1%} of the time")
    for name, count, time in sorted(kernels, key=lambda k: -k[2])[:12]:
        print(f"{time / whole:6.1%} {count:5} {name[:100]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["pairs", "profile"])
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--output", help="file for the row")
    chosen = parser.parse_args()
    torch._inductor.config.fx_graph_cache = False
    compare(chosen) if chosen.mode == "pairs" else profile()


if __name__ == "__main__":
    main()
