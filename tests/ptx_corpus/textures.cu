// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces of all shapes.
// corpus: -arch=compute_75
// corpus: -arch=compute_90
#include <cuda_runtime.h>

__global__ void read_shapes(cudaTextureObject_t t, float* out, float x, float y, float z, int layer) {
  out[0] = tex1Dfetch<float>(t, static_cast<int>(threadIdx.x));
  out[1] = tex1D<float>(t, x);
  out[2] = tex2D<float>(t, x, y);
  out[3] = tex3D<float>(t, x, y, z);
  out[4] = tex1DLayered<float>(t, x, layer);
  out[5] = tex2DLayered<float>(t, x, y, layer);
  out[6] = texCubemap<float>(t, x, y, z);
  out[7] = texCubemapLayered<float>(t, x, y, z, layer);
}

__global__ void read_finer(cudaTextureObject_t t, float4* out, float x, float y, float level) {
  out[0] = tex2DLod<float4>(t, x, y, level);
  out[1] = tex2DGrad<float4>(t, x, y, make_float2(level, 0), make_float2(0, level));
  out[2] = tex2Dgather<float4>(t, x, y, 1);
  out[3] = tex3DLod<float4>(t, x, y, x + y, level);
  bool is_resident = false;
  out[4] = tex2D<float4>(t, x, y, &is_resident);
  if (!is_resident) out[4] = make_float4(0, 0, 0, 0);
}

__global__ void read_integers(cudaTextureObject_t t, uchar4* bytes, short2* words, int i) {
  bytes[i] = tex2D<uchar4>(t, 1.0f, 2.0f);
  words[i] = tex1Dfetch<short2>(t, i);
}

__global__ void copy_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int layer) {
  int const x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  surf2Dwrite(surf2Dread<float>(from, x * 4, y), to, x * 4, y, cudaBoundaryModeClamp);
  surf1Dwrite(surf1Dread<uchar2>(from, x * 2), to, x * 2, cudaBoundaryModeZero);
  surf3Dwrite(surf3Dread<int4>(from, x * 16, y, layer), to, x * 16, y, layer, cudaBoundaryModeTrap);
  surf2DLayeredwrite(surf2DLayeredread<longlong2>(from, x * 16, y, layer), to, x * 16, y, layer);
  surfCubemapwrite(surfCubemapread<short>(from, x * 2, y, 3), to, x * 2, y, 3);
}

__global__ void surface_assembly(cudaSurfaceObject_t s, int x, unsigned* width) {
  asm volatile("sured.b.1d.add.u32.clamp [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(1) : "memory");
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %1}], {%1, %1, %1, %1};" ::"l"(s), "r"(x) : "memory");
  asm volatile("suq.width.b32 %0, [%1];" : "=r"(width[0]) : "l"(s));
  asm volatile("txq.height.b32 %0, [%1];" : "=r"(width[1]) : "l"(s));
}
