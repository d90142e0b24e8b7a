#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles a source with NVRTC. usage: compile_with_nvrtc.py LIBNVRTC SOURCE OUTPUT [FLAG...]

Exit code: 0 OUTPUT is written; 1 "error: ..." says why not; 2 wrong arguments.
"""

import ctypes
import pathlib
import sys


def compile_source(library, source, flags):
    """The PTX [bytes]. @throw RuntimeError with NVRTC's first error."""
    nvrtc = ctypes.CDLL(library)
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(function, *arguments):
        status = function(*arguments)
        if status != 0:
            raise RuntimeError(nvrtc.nvrtcGetErrorString(status).decode())

    def read(get_size, get, program):
        size = ctypes.c_size_t()
        call(get_size, program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        call(get, program, text)
        return text.value  # without the zero at its end

    program = ctypes.c_void_p()
    text = pathlib.Path(source).read_bytes()
    call(nvrtc.nvrtcCreateProgram, ctypes.byref(program), text, pathlib.Path(source).name.encode(), 0, None, None)
    options = (ctypes.c_char_p * len(flags))(*[flag.encode() for flag in flags])
    try:
        call(nvrtc.nvrtcCompileProgram, program, len(flags), options)
    except RuntimeError as failure:
        log = read(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode(errors="replace")
        first = next((line for line in log.splitlines() if "error" in line), str(failure))
        raise RuntimeError(first) from None
    return read(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)


def main(arguments):
    if len(arguments) < 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    library, source, output, *flags = arguments
    try:
        ptx = compile_source(library, source, flags)
        pathlib.Path(output).write_bytes(ptx)
    except (RuntimeError, OSError) as failure:
        print(f"error: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
