// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Looking up words' vectors in a table: few words are frequent, most do not occur. working_set says how much of the
// table the kernel touches (what a cache would have to hold), and which pages are asked for most.
#include <cstdio>
#include <pasta/pasta.hpp>

constexpr std::uint32_t word_count = 4096, vector_length = 64;  // a word's vector has 256 bytes

/// A warp for each word of the text: sums[i] = the sum of the vector of word i.
struct look_up {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> table,
                               pasta::traced<std::uint32_t const, Probe> text, pasta::traced<float, Probe> sums) const {
    std::size_t const place = t.index() / 32, first = std::size_t{text[place]} * vector_length;
    float sum = table[first + t.index() % 32] + table[first + 32 + t.index() % 32];
    for (std::uint32_t distance = 16; distance > 0; distance /= 2) sum += t.shuffle_down(sum, distance);
    if (t.index() % 32 == 0) sums[place] = sum;
  }
};

int main() {
  constexpr std::uint32_t length = 2048;
  pasta::buffer<float> table(word_count * vector_length), sums(length);
  pasta::buffer<std::uint32_t> text(length);
  table.copy_from(std::vector<float>(table.size(), 0.5F));
  std::vector<std::uint32_t> words(length);
  for (std::uint32_t i = 0; i < length; ++i) {
    std::uint32_t const any = i * 2654435761u >> 8;  // three of four are one of 64 words
    words[i] = i % 4 == 0 ? any % word_count : any % 64;
  }
  text.copy_from(words);

  pasta::launch(look_up{}, {length * 32 / 128, 128}, table, text, sums);

  std::vector<float> result(length);
  sums.copy_to(result);
  for (float const sum : result) {
    if (sum != vector_length / 2) return std::puts("wrong"), 1;
  }
  std::puts("OK");
}
