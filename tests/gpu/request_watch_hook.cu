// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The hook of request_watch, for ptx_hooks_test.
#define PASTA_DETAIL_HOOK
#include <pasta/instrument/cuda/hook.hpp>
#include "watch_tools.hpp"
PASTA_HOOK(request_watch)
