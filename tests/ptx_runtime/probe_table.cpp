// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
__attribute__((used, section(".pasta_tools"), aligned(1))) static char const table[] = "probe\taccess_count\t0.1.0";
