#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of well-known models with random weights, eager PyTorch: what a tool for closed libraries is measured with.

  models.py [--models bert,gpt2,resnet18,resnet34,alexnet,whisper,encoder] [--modes train,inference] [--steps 3]

`train` is forward, backward and optimiser, `inference` the forward pass alone; deterministic algorithms are on where
there are such. Prints each step's time (the host's, from an idle GPU to an idle GPU) and a digest of outputs and
gradients; writes both where BENCHMARK_TIMES says, as patch_route/in_turn.py reads them.
"""

import argparse
import hashlib
import json
import os
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is deterministic with it

import torch  # noqa: E402 (reads the variable)

BATCH = 4


def labels(count, *shape):
    return torch.randint(0, count, shape, device="cuda")


def bert():
    from transformers import BertConfig, BertForSequenceClassification
    model = BertForSequenceClassification(BertConfig(attn_implementation="eager"))
    words, classes = labels(30_000, BATCH, 128), labels(2, BATCH)
    return model, lambda m: m(input_ids=words, labels=classes)


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(attn_implementation="eager"))
    words = labels(50_000, BATCH, 128)
    return model, lambda m: m(input_ids=words, labels=words)


def whisper():
    from transformers import WhisperConfig, WhisperForConditionalGeneration
    small = WhisperConfig(d_model=768, encoder_layers=12, decoder_layers=12, encoder_attention_heads=12,
                          decoder_attention_heads=12, encoder_ffn_dim=3072, decoder_ffn_dim=3072,
                          attn_implementation="eager")
    model = WhisperForConditionalGeneration(small)
    sound, words = torch.randn(1, 80, 3000, device="cuda"), labels(50_000, 1, 64)
    return model, lambda m: m(input_features=sound, labels=words)


def vision(name):
    def make():
        import torchvision
        model = getattr(torchvision.models, name)(weights=None)
        images, classes = torch.randn(BATCH, 3, 224, 224, device="cuda"), labels(1000, BATCH)
        return model, lambda m: torch.nn.functional.cross_entropy(m(images), classes)
    return make


def encoder():
    """One layer of a transformer's encoder."""
    model = torch.nn.TransformerEncoderLayer(512, 8, batch_first=True)
    x = torch.randn(32, 128, 512, device="cuda")
    return model, lambda m: m(x).square().mean()


MODELS = {"bert": bert, "gpt2": gpt2, "resnet18": vision("resnet18"), "resnet34": vision("resnet34"),
          "alexnet": vision("alexnet"), "whisper": whisper, "encoder": encoder}


def digest_of(tensors):
    whole = hashlib.sha256()
    for tensor in tensors:
        whole.update(tensor.detach().float().cpu().contiguous().numpy().tobytes())
    return whole.hexdigest()[:16]


def run(name, mode, steps):
    torch.manual_seed(1)
    model, forward = MODELS[name]()
    model = model.cuda().train(mode == "train")
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        if mode == "inference":
            with torch.no_grad():
                result = forward(model)
        else:
            optimiser.zero_grad()
            result = forward(model)
            (result if torch.is_tensor(result) else result.loss).backward()
            optimiser.step()
        return result if torch.is_tensor(result) else result.logits

    times = []
    for _ in range(steps + 1):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        output = step()
        torch.cuda.synchronize()
        times.append(round((time.perf_counter() - begin) * 1e3, 4))
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    return {"size": BATCH, "first_ms": times[0], "ms": times[1:], "digest": digest_of([output, *gradients])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(MODELS), type=lambda text: text.split(","))
    parser.add_argument("--modes", default="train,inference", type=lambda text: text.split(","))
    parser.add_argument("--steps", type=int, default=3, help="steps that are measured, after a first one")
    chosen = parser.parse_args()
    torch.use_deterministic_algorithms(True, warn_only=True)  # AlexNet and ResNet have an operation without such
    results = {}
    for name in chosen.models:
        for mode in chosen.modes:
            result = results[f"{name} {mode}"] = run(name, mode, chosen.steps)
            print(f"{name} {mode}: first {result['first_ms']:.1f} ms, then {result['ms']}, {result['digest']}",
                  flush=True)
    if "BENCHMARK_TIMES" in os.environ:
        with open(os.environ["BENCHMARK_TIMES"], "w", encoding="utf-8") as file:
            json.dump(results, file)


if __name__ == "__main__":
    main()
