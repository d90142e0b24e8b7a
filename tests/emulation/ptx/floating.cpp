// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Floats of 32 and 64 bits, rounded to the nearest. `.approx` is the host's function: as exact or more so.
#include "floating.hpp"

#include <cmath>

#include "actions.hpp"

namespace ptx_emulation {

namespace {

template <class T>
T flush(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}
// A result with what the opcode says of it.
template <class T>
std::uint64_t finish(op const& o, T value) {
  if ((o.variant & 1) != 0) value = flush(value);
  if ((o.variant & 2) != 0) value = value > 0 ? std::fmin(value, T{1}) : T{0};  // not a number becomes 0
  return bits_of(value);
}
template <class T>
T operand(op const& o, std::uint64_t bits) {
  T const value = as<T>(bits);
  return (o.variant & 1) != 0 ? flush(value) : value;
}

template <class T, class Function>
void one(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return finish(o, Function{}(operand<T>(o, a[i]))); });
}
template <class T, class Function>
void two(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]);
  write_lanes(lanes, x.at(o.at[0]),
              [&](unsigned i) { return finish(o, Function{}(operand<T>(o, a[i]), operand<T>(o, b[i]))); });
}
template <class T>
void fused(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) {
    return finish(o, std::fma(operand<T>(o, a[i]), operand<T>(o, b[i]), operand<T>(o, c[i])));
  });
}

#define PASTA_FLOATING(name, arguments, value) \
  struct name {                                \
    template <class T>                         \
    T operator() arguments const {             \
      return value;                            \
    }                                          \
  }
PASTA_FLOATING(sum, (T a, T b), a + b);
PASTA_FLOATING(difference, (T a, T b), a - b);
PASTA_FLOATING(product, (T a, T b), a* b);
PASTA_FLOATING(ratio, (T a, T b), a / b);
PASTA_FLOATING(smaller, (T a, T b), std::fmin(a, b));
PASTA_FLOATING(larger, (T a, T b), std::fmax(a, b));
PASTA_FLOATING(with_sign, (T a, T b), std::copysign(b, a));
PASTA_FLOATING(negative, (T a), -a);
PASTA_FLOATING(magnitude, (T a), std::fabs(a));
PASTA_FLOATING(root, (T a), std::sqrt(a));
PASTA_FLOATING(inverse, (T a), T{1} / a);
PASTA_FLOATING(inverse_root, (T a), T{1} / std::sqrt(a));
PASTA_FLOATING(power_of_two, (T a), std::exp2(a));
PASTA_FLOATING(logarithm, (T a), std::log2(a));
PASTA_FLOATING(sine, (T a), std::sin(a));
PASTA_FLOATING(cosine, (T a), std::cos(a));
PASTA_FLOATING(tangent, (T a), std::tanh(a));
#undef PASTA_FLOATING

struct functions {
  std::string_view name;
  std::size_t sources;
  action of_32, of_64;
};
constexpr functions all[] = {{"add", 2, &two<float, sum>, &two<double, sum>},
                             {"sub", 2, &two<float, difference>, &two<double, difference>},
                             {"mul", 2, &two<float, product>, &two<double, product>},
                             {"div", 2, &two<float, ratio>, &two<double, ratio>},
                             {"min", 2, &two<float, smaller>, &two<double, smaller>},
                             {"max", 2, &two<float, larger>, &two<double, larger>},
                             {"copysign", 2, &two<float, with_sign>, &two<double, with_sign>},
                             {"fma", 3, &fused<float>, &fused<double>},
                             {"mad", 3, &fused<float>, &fused<double>},
                             {"neg", 1, &one<float, negative>, &one<double, negative>},
                             {"abs", 1, &one<float, magnitude>, &one<double, magnitude>},
                             {"sqrt", 1, &one<float, root>, &one<double, root>},
                             {"rcp", 1, &one<float, inverse>, &one<double, inverse>},
                             {"rsqrt", 1, &one<float, inverse_root>, &one<double, inverse_root>},
                             {"ex2", 1, &one<float, power_of_two>, nullptr},
                             {"lg2", 1, &one<float, logarithm>, nullptr},
                             {"sin", 1, &one<float, sine>, nullptr},
                             {"cos", 1, &one<float, cosine>, nullptr},
                             {"tanh", 1, &one<float, tangent>, nullptr}};

}  // namespace

void build_floating(function_compiler& names, spelled const& text, op& into) {
  scalar const type = text.type();
  text.expect({"rn", "approx", "full", "ftz", "sat"});
  for (functions const& each : all) {
    if (each.name != text.parts[0] || !type.is_floating()) continue;
    take_operands(names, text, into, each.sources, type);
    into.variant = static_cast<std::uint8_t>((text.has("ftz") ? 1 : 0) + (text.has("sat") ? 2 : 0));
    into.run = type.bits == 32 ? each.of_32 : type.bits == 64 ? each.of_64 : nullptr;
    if (into.run != nullptr) return;
  }
  text.refuse("its type is not known");
}

builders floating_builders() {
  builders made;
  for (std::string_view const name : {"fma", "copysign", "sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"}) {
    made.emplace_back(name, &build_floating);
  }
  return made;
}

}  // namespace ptx_emulation
