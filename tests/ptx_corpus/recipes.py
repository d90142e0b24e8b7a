# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What the corpus consists of. A source in this folder says itself how it is compiled, once for each PTX file:

    // corpus: -arch=compute_90 -lineinfo      nvcc -ptx
    // corpus: dlto -arch=sm_90                nvcc -dlto -dc, then nvlink -dlto -emit-ptx
    // corpus: nvrtc -arch=compute_90          NVRTC
    // corpus flags: --extended-lambda         for all lines above

The project's own sources and Triton's kernels are listed here.
"""

import dataclasses
import pathlib
import re

import toolchain

FOLDER = pathlib.Path(__file__).resolve().parent
MAKERS = ("nvcc", "dlto", "nvrtc", "triton")


@dataclasses.dataclass(frozen=True)
class Recipe:
    maker: str  # one of MAKERS
    source: pathlib.Path
    arch: str  # sm_90a
    flags: tuple  # without the architecture
    common_flags: tuple = ()  # not part of the name
    kernel: str = ""  # Triton's

    @property
    def name(self):
        """Of the file, without `.ptx`: cub_sort.sm_90.lineinfo"""
        words = [self.kernel or self.source.stem, self.arch] + ([self.maker] if self.maker != "nvcc" else [])
        return ".".join(words + [re.sub(r"\W+", "_", flag.lstrip("-").removesuffix("=true")) for flag in self.flags])

    @property
    def origin(self):
        where = str(self.source.relative_to(toolchain.SOURCE_DIR))
        return f"{where}: {self.kernel}" if self.kernel else where

    @property
    def needs(self):
        """What nvcc hands to ptxas for such a file, beside the architecture."""
        found = []
        for flag in self.flags:
            if flag in ("-G", "--device-debug"):
                found += ["-g", "--dont-merge-basicblocks", "--return-at-end"]
            elif flag == "-lineinfo":
                found.append("-lineinfo")
            elif flag == "-rdc=true":
                found.append("--compile-only")
            elif flag.startswith(("-maxrregcount", toolchain.compiler.QUICK)):
                found.append(flag)
        return found


def read_recipes(source):
    """A source's own lines. @throw ValueError for one that is not understood."""
    text = source.read_text(encoding="utf-8")
    common = tuple(word for line in re.findall(r"^// corpus flags: (.*)$", text, re.MULTILINE) for word in line.split())
    found = []
    for line in re.findall(r"^// corpus: (.*)$", text, re.MULTILINE):
        words = line.split()
        maker = words.pop(0) if not words[0].startswith("-") else "nvcc"
        match = re.fullmatch(r"-arch=(?:compute|sm)_(\w+)", words.pop(0)) if words else None
        if maker not in MAKERS or not match:
            raise ValueError(f"{source}: not understood: {line}")
        found.append(Recipe(maker, source, f"sm_{match[1]}", tuple(words), common))
    return found


QUICK = (toolchain.compiler.QUICK,)  # where nvcc takes minutes else
PROJECT_FLAGS = tuple(toolchain.compiler.FLAGS)
TOOLS_FLAGS = PROJECT_FLAGS + tuple(toolchain.compiler.WITH_TOOLS)
NATIVE = "benchmarks/overhead/native_kernels.cuh"
NATIVE_FLAGS = ("-x", "cu")

# (source, common flags, ((architecture, flags...), ...))
PROJECT = (
    (NATIVE, NATIVE_FLAGS, (("75",), ("80",), ("90",), ("90", "-G"), ("90", "-lineinfo"), ("90", "-rdc=true"), ("90a",),
                            ("100",), ("120",), ("120", "-G"))),
    ("tests/cuda/kernels.cu", PROJECT_FLAGS, (("75",), ("90", "-lineinfo"), ("100",))),
    ("tests/cuda/kernels.cu", TOOLS_FLAGS, (("90", "-lineinfo", *QUICK),)),
    ("tests/gpu/request_patterns.cu", PROJECT_FLAGS, (("75",), ("90",), ("90", "-G"))),
    ("tests/gpu/calibration.cu", PROJECT_FLAGS, (("75",), ("90", "-lineinfo"), ("120",))),
    ("tests/gpu/failures_test.cu", PROJECT_FLAGS, (("90", *QUICK),)),
    ("tests/gpu/sort_test.cu", PROJECT_FLAGS, (("90",),)),
    ("tests/gpu/conformance_test.cu", PROJECT_FLAGS, (("90", *QUICK),)),
    ("tests/gpu/alike_test.cu", PROJECT_FLAGS, (("80", *QUICK),)),
)

# Programs of examples/ that nvcc compiles: the other files there are for the host engine alone. -O3 is what nvcc does
# for the GPU if it is not told.
EXAMPLES = toolchain.SOURCE_DIR / "examples"
EXAMPLE_FLAGS = ("-DFMT_USE_CONSTEXPR=1", f"-I{toolchain.SOURCE_DIR / 'include'}", "-x", "cu")
EXAMPLE_VARIANTS = (("nvcc", "80"), ("nvcc", "90", "-G"), ("nvcc", "90", "-lineinfo"), ("nvcc", "90", "-rdc=true"),
                    ("dlto", "90"))

TRITON = FOLDER / "triton_kernels.py"
TRITON_KERNELS = {
    "softmax": ("80", "90"),
    "layer_norm": ("75", "80", "90"),
    "matmul": ("80", "90"),
    "matmul_descriptors": ("90", "100"),
    "attention": ("80", "90"),
    "histogram": ("80", "90"),
}


def project_recipes():
    for source, common, variants in PROJECT:
        for architecture, *flags in variants:
            yield Recipe("nvcc", toolchain.SOURCE_DIR / source, f"sm_{architecture}", tuple(flags), common)
    for architecture in ("80", "90"):
        yield Recipe("dlto", toolchain.SOURCE_DIR / NATIVE, f"sm_{architecture}", (), NATIVE_FLAGS)


def example_recipes():
    patterns = ("targets/*.cpp", "[0-9]*/[0-9]*.cpp", "[0-9]*/*.cu")
    for source in sorted(path for pattern in patterns for path in EXAMPLES.glob(pattern)):
        for maker, architecture, *flags in EXAMPLE_VARIANTS:
            yield Recipe(maker, source, f"sm_{architecture}", tuple(flags), EXAMPLE_FLAGS)


def all_recipes():
    """In order of name. @throw ValueError for two of one name."""
    found = [recipe for source in sorted(FOLDER.glob("*.cu")) for recipe in read_recipes(source)]
    found += project_recipes()
    found += example_recipes()
    for kernel, architectures in TRITON_KERNELS.items():
        found += [Recipe("triton", TRITON, f"sm_{number}", (), kernel=kernel) for number in architectures]
    names = [recipe.name for recipe in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"several recipes have one name: {', '.join(sorted(twice))}")
    return sorted(found, key=lambda recipe: recipe.name)
