# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What tests say that need a GPU, on a machine without one: CMakeLists.txt knows the words."""

import subprocess
import unittest


def skip_without_gpu(has_compiler):
    """@raise unittest.SkipTest: nvcc is missing, or a GPU with a driver"""
    if not has_compiler:
        raise unittest.SkipTest("nvcc was not found")
    try:
        gpus = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        gpus = ""
    if "GPU" not in gpus:
        raise unittest.SkipTest("there is no NVIDIA GPU with a driver")
