// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The hook of working_set, for ptx_shadow_test.
#define PASTA_DETAIL_HOOK
#include <pasta/instrument/cuda/hook.hpp>
#include <working_set.hpp>
PASTA_HOOK(working_set)
