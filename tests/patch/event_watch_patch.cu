// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The patches of event_watch, for events_test.
#define PASTA_DETAIL_HOOK
#define PASTA_DETAIL_PATCH
#include <sanitizer_patching.h>
#include <pasta/instrument/cuda/patch.hpp>
#include "event_watch.hpp"
PASTA_PATCH(event_watch)
