// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_MATRIX_TILES_HPP
#define PASTA_TOOLS_MATRIX_TILES_HPP

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <pasta/pasta.hpp>
#include <set>

namespace matrix_tiles_detail {

/// 2^64 - 1 where the product is larger.
inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

/// `batch` products of an M by K and a K by N matrix.
struct extents {
  std::array<std::uint64_t, 3> mnk{};
  std::uint64_t batch = 1;

  std::uint64_t multiply_adds() const { return multiply(multiply(multiply(mnk[0], mnk[1]), mnk[2]), batch); }
  /// With each extent up to a multiple of a tile's.
  extents padded_to(std::array<std::uint64_t, 3> const& tile) const {
    extents padded = *this;
    for (std::size_t i = 0; i < 3; ++i) padded.mnk[i] = (mnk[i] + tile[i] - 1) / tile[i] * tile[i];
    return padded;
  }
  std::string text() const {
    return fmt::format("{}x{}x{}{}", mnk[0], mnk[1], mnk[2], batch == 1 ? "" : fmt::format("x{}", batch));
  }
  bool operator==(extents const&) const = default;
};

/// What one launch of a kernel is to multiply: one product or several.
struct problem {
  std::vector<extents> products;
  std::string text;
  std::uint64_t multiply_adds = 0;
};

inline std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size(); begin += parts.back().size() + 1)
    parts.push_back(text.substr(begin, text.find(at, begin) - begin));
  return parts;
}

/// `MxNxK` or `MxNxKxBATCH`, several joined by '+'. What is larger than any GPU's work of a day is no problem.
inline std::optional<problem> read_problem(std::string_view text) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  problem read{{}, std::string(text), 0};
  for (std::string_view const product : split(text, '+')) {
    std::vector<std::uint64_t> numbers;
    for (std::string_view const part : split(product, 'x')) {
      std::uint32_t number = 0;
      auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
      if (error != std::errc{} || end != part.data() + part.size() || number == 0) return std::nullopt;
      numbers.push_back(number);
    }
    if (numbers.size() != 3 && numbers.size() != 4) return std::nullopt;
    extents const one{{numbers[0], numbers[1], numbers[2]}, numbers.size() == 4 ? numbers[3] : 1};
    if (one.multiply_adds() > most - read.multiply_adds) return std::nullopt;
    read.multiply_adds += one.multiply_adds();
    read.products.push_back(one);
  }
  return read;
}

/// The last word of an annotated range's name, or of the ranges around it, that is a problem: `layer/gemm 64x64x8`.
inline std::optional<problem> find_problem(std::string_view range) {
  auto const is_letter = [&](std::size_t at) { return at < range.size() && std::isalpha(range[at] & 0x7f) != 0; };
  for (std::size_t end = range.size(); end > 0;) {
    std::size_t const begin = range.find_last_not_of("0123456789x+", end - 1) + 1;  // npos + 1 is 0
    if (begin < end && !is_letter(begin - 1) && !is_letter(end)) {
      if (auto found = read_problem(range.substr(begin, end - begin))) return found;
    }
    if (begin == 0) break;
    end = begin - 1;
  }
  return std::nullopt;
}

/// What `--problem` says: entries `[PATTERN=]PROBLEM`, the first that fits a kernel's name holds.
class problem_list {
 public:
  /// @throw pasta::usage_error
  explicit problem_list(std::string_view text) {
    if (text.empty()) return;
    for (std::string_view const part : split(text, ';')) {
      std::size_t const equals = part.rfind('=');
      bool const has_pattern = equals != std::string_view::npos;
      auto read = read_problem(has_pattern ? part.substr(equals + 1) : part);
      if (!read)
        throw pasta::usage_error(fmt::format("'{}' is not [KERNEL=]MxNxK[xBATCH][+MxNxK...]", pasta::visible(part)));
      entries_.emplace_back(
          has_pattern ? std::make_unique<pasta::name_pattern>("KERNEL", std::string(part, 0, equals)) : nullptr,
          std::move(*read));
    }
  }
  std::optional<problem> find(std::string const& kernel) const {
    for (auto const& [pattern, what] : entries_)
      if (!pattern || pattern->is_in(kernel)) return what;
    return std::nullopt;
  }

 private:
  std::vector<std::pair<std::unique_ptr<pasta::name_pattern>, problem>> entries_;  // null: each kernel
};

inline std::string find_mistake(std::string_view text) {
  try {
    problem_list const read(text);
    return {};
  } catch (pasta::usage_error const& wrong) {
    return wrong.what();
  }
}

/// The extents that so many multiply-adds cover, if block tiles of usual sizes leave one answer: multiples by 1, 2, 3,
/// 4, 6, 8, ... of the instruction's shape, whose m may lie along M or along N.
inline std::optional<extents> infer_padded(extents const& given, std::uint64_t executed,
                                           pasta::matrix_tile const& tile) {
  auto const multiples = [](std::uint64_t of, std::uint64_t unit) {
    std::set<std::uint64_t> found;
    for (std::uint64_t size = unit; size <= 1024; size *= 2) {
      for (std::uint64_t const step : {size, size * 3}) found.insert((of + step - 1) / step * step);
    }
    return found;
  };
  std::optional<extents> found;
  for (auto const& [m, n] : {std::pair(tile.m, tile.n), std::pair(tile.n, tile.m)}) {
    for (std::uint64_t const rows : multiples(given.mnk[0], m)) {
      for (std::uint64_t const columns : multiples(given.mnk[1], n)) {
        std::uint64_t const area = multiply(multiply(rows, columns), given.batch);
        if (executed % area != 0 || !multiples(given.mnk[2], tile.k).contains(executed / area)) continue;
        extents const fits{{rows, columns, executed / area}, given.batch};
        if (found && *found != fits) return std::nullopt;
        found = fits;
      }
    }
  }
  return found;
}

}  // namespace matrix_tiles_detail

/// Counts matrix instructions by shape and types, and says how much of what they multiply is padding.
struct matrix_tiles : pasta::tool<matrix_tiles> {
  using counts = pasta::counted<pasta::matrix_operation>;
  static constexpr std::string_view summary = "counts matrix instructions, finds tiles that multiply padding";

  struct options {
    pasta::short_text problem;
    double maximum_waste = 0.2;
    static constexpr auto describe() {
      return std::tuple{
          pasta::report_option("problem", &options::problem,
                               "what one launch multiplies: [KERNEL=]MxNxK[xBATCH][+MxNxK...], several joined by ';'",
                               matrix_tiles_detail::find_mistake),
          pasta::report_option("maximum-waste", &options::maximum_waste,
                               "report a kernel if a larger share of its multiply-adds is padding [1]", 0, 1)};
    }
  };

  void report(pasta::results<matrix_tiles> const& found, pasta::report& out) const {
    matrix_tiles_detail::problem_list const problems(found.options.problem.view());
    for (auto const& kernel : found.kernels) {
      if (kernel.sites.empty()) continue;
      auto section = out.kernel(kernel);
      std::map<std::pair<std::string, std::string>, work> by_shape;
      work all;
      auto sites = section.table("sites", columns({"file", "line", "column", "shape", "types"}));
      for (auto const& row : kernel.sites) {
        work const done = work_of(row);
        sites.add(row.site.file, row.site.line, row.site.column, shape_of(row.site.tile), types_of(row.site.tile),
                  done.instructions, done.known());
        by_shape[{shape_of(row.site.tile), types_of(row.site.tile)}] += done;
        all += done;
      }
      auto totals = section.table("totals", columns({"shape", "types"}));
      for (auto const& [key, done] : by_shape) totals.add(key.first, key.second, done.instructions, done.known());

      auto problem = problems.find(kernel.name);
      if (!problem) problem = matrix_tiles_detail::find_problem(kernel.range);
      add_fill(kernel, problem, all, by_shape.size() == 1, found.options.maximum_waste, section);
    }
  }

 private:
  struct work {
    std::uint64_t instructions = 0, multiply_adds = 0;
    bool is_known = true;  ///< of each instruction what it multiplies
    work& operator+=(work const& more) {
      instructions += more.instructions, multiply_adds += more.multiply_adds, is_known &= more.is_known;
      return *this;
    }
    std::optional<std::uint64_t> known() const { return is_known ? std::optional(multiply_adds) : std::nullopt; }
  };
  static work work_of(pasta::site_result<matrix_tiles> const& row) {
    pasta::matrix_tile const& tile = row.site.tile;
    std::uint64_t const lanes = std::max(tile.lanes, 1u), instructions = (row.executions + lanes - 1) / lanes;
    std::uint64_t const of_one = std::uint64_t{tile.m} * tile.n * tile.k * tile.products;
    return {instructions, matrix_tiles_detail::multiply(instructions, of_one), of_one != 0};
  }
  static std::string shape_of(pasta::matrix_tile const& tile) {
    if (tile.m == 0) return "not known";
    std::string const shape = fmt::format("{}x{}x{}", tile.m, tile.n, tile.k);
    return tile.products == 1 ? shape : fmt::format("{}, {} at once", shape, tile.products);
  }
  static std::string types_of(pasta::matrix_tile const& tile) {
    return tile.a.empty() ? "not known" : fmt::format("{}*{}+{}", tile.a, tile.b, tile.d);
  }
  static std::vector<pasta::column> columns(std::initializer_list<char const*> keys) {
    std::vector<pasta::column> made;
    for (char const* name : keys) made.push_back({name, "", pasta::column_role::key});
    for (char const* name : {"instructions", "multiply_adds"}) made.push_back({name, "", pasta::column_role::value});
    return made;
  }

  template <class Section>
  static void add_fill(pasta::kernel_result<matrix_tiles> const& kernel,
                       std::optional<matrix_tiles_detail::problem> const& problem, work const& all, bool has_one_shape,
                       double maximum_waste, Section& section) {
    using enum pasta::column_role;
    auto table = section.table("fill", {{"problem", "", key},
                                        {"launches", "", value},
                                        {"multiply_adds", "", value},
                                        {"useful", "", value},
                                        {"fill", "1", value},
                                        {"padded", "", value}});
    std::uint64_t const launches = kernel.losses.launches_delivered;
    if (!problem)
      return table.add("not known (--problem MxNxK)", launches, all.known(), std::nullopt, std::nullopt, std::nullopt);
    auto const& busiest = *std::max_element(kernel.sites.begin(), kernel.sites.end(), [](auto const& a, auto const& b) {
      return work_of(a).multiply_adds < work_of(b).multiply_adds;
    });
    std::uint64_t const useful = matrix_tiles_detail::multiply(problem->multiply_adds, launches);
    std::optional<double> fill;
    std::optional<matrix_tiles_detail::extents> padded;
    if (all.is_known && launches > 0 && useful <= all.multiply_adds) {
      fill = static_cast<double>(useful) / static_cast<double>(all.multiply_adds);
      if (has_one_shape && problem->products.size() == 1 && all.multiply_adds % launches == 0)
        padded = infer_padded(problem->products[0], all.multiply_adds / launches, busiest.site.tile);
    } else if (all.is_known && launches > 0) {
      section.finding({pasta::severity::low, pasta::place_of(busiest.site),
                       fmt::format("{} takes {} multiply-adds (launches: {}), and matrix instructions made {}",
                                   problem->text, useful, launches, all.multiply_adds),
                       "give the extents of what one launch multiplies by matrix instructions", std::nullopt});
    }
    table.add(problem->text, launches, all.known(), useful, fill,
              padded ? std::optional(padded->text()) : std::nullopt);
    if (!fill || 1 - *fill <= maximum_waste) return;
    pasta::matrix_tile smallest = busiest.site.tile;
    for (auto const& [site, executions, state] : kernel.sites) {
      for (auto const side : {&pasta::matrix_tile::m, &pasta::matrix_tile::n, &pasta::matrix_tile::k})
        smallest.*side = std::min(smallest.*side, site.tile.*side);
    }
    section.finding(waste(*problem, padded, busiest.site, smallest, *fill));
  }

  static pasta::finding waste(matrix_tiles_detail::problem const& problem,
                              std::optional<matrix_tiles_detail::extents> const& padded, pasta::site_info const& site,
                              pasta::matrix_tile const& smallest, double fill) {
    // The least that such instructions can do, whichever way they lie.
    std::uint64_t least = 0;
    for (auto const& each : problem.products) {
      least += std::min(each.padded_to({smallest.m, smallest.n, smallest.k}).multiply_adds(),
                        each.padded_to({smallest.n, smallest.m, smallest.k}).multiply_adds());
    }
    double const best_fill = static_cast<double>(problem.multiply_adds) / static_cast<double>(least);
    pasta::finding found;
    found.place = pasta::place_of(site);
    found.message =
        fmt::format("{:.3g} % of the multiply-adds are padding: {}{}, by instructions of {}", 100 * (1 - fill),
                    problem.text, padded ? fmt::format(" is done as {}", padded->text()) : "", shape_of(site.tile));
    found.advice = "join products, or swap the factors, so that an instruction's longer side lies along the longer one";
    if (best_fill > 1.01 * fill) {
      found.gain_at_most = best_fill / fill;
      found.advice =
          fmt::format("take block tiles that divide the extents, or smaller ones: down to {:.3g} % of padding",
                      100 * (1 - best_fill));
    }
    found.level = pasta::severity_of(found.gain_at_most.value_or(1 / fill));
    return found;
  }
};

#endif
