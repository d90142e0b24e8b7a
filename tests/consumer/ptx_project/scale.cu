// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0

/// Called across files: device code that is linked.
__device__ float scaled(float const* from) { return 2.0f * *from; }
