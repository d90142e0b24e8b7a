// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The hook of event_counts, for ptx_events_test.
#define PASTA_DETAIL_HOOK
#include <pasta/instrument/cuda/hook.hpp>
#include "event_tools.hpp"
PASTA_HOOK(event_counts)
