// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The hook of thread_sum, for ptx_events_test.
#define PASTA_DETAIL_HOOK
#include <pasta/instrument/cuda/hook.hpp>
#include "event_tools.hpp"
PASTA_HOOK(thread_sum)
