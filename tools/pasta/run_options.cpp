// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run_options.hpp"

#include <fmt/format.h>
#include <pasta/session/launch_selection.hpp>
#include <pasta/session/limits.hpp>
#include <pasta/session/pack_name.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <pasta/report/visible.hpp>
#include "parse.hpp"
#include "suggest.hpp"

namespace pasta::cli {

namespace {

std::vector<std::string> const value_flags{"--route",   "--output",  "--per",     "--sampling-rate", "--sample-blocks",
                                           "--seed",    "--kernels", "--exclude", "--launches",      "--schedule",
                                           "--devices", "--spaces",  "--times",   "--warp-width",    "--threads"};
std::vector<std::string> const plain_flags{"--strict", "--quiet", "--baseline", "--help"};

bool contains(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The words before "--", sorted: flags of `pasta run`, the tools, and the rest, which must be options of tools.
struct sorted_words {
  struct unknown_flag {
    std::string name;  // without dashes
    std::optional<std::string> value;
  };
  arguments flags;
  std::string tools;
  std::vector<unknown_flag> unknown;
  bool wants_help = false;
};

sorted_words sort_words(arguments const& words) {
  sorted_words sorted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string const& word = words[i];
    if (word.size() < 2 || word.front() != '-') {
      if (!sorted.tools.empty()) {
        throw usage_error(fmt::format("unexpected '{}'; put -- before the program: pasta run {} -- {}", visible(word),
                                      visible(sorted.tools), visible(word)));
      }
      if (word.empty()) throw usage_error("the tool's name is empty");
      sorted.tools = word;
      continue;
    }
    auto const equals = word.find('=');
    std::string const name = word.substr(0, equals);
    bool const has_next = i + 1 < words.size();
    if (word == "-h" || word == "--help") sorted.wants_help = true;
    if (word.compare(0, 2, "--") != 0 || contains(plain_flags, name)) {
      sorted.flags.push_back(word);
    } else if (contains(value_flags, name)) {
      if (equals == std::string::npos && !has_next) throw usage_error(fmt::format("{} needs a value", name));
      sorted.flags.push_back(equals == std::string::npos ? fmt::format("{}={}", name, words[++i]) : word);
    } else if (equals != std::string::npos) {
      sorted.unknown.push_back({name.substr(2), word.substr(equals + 1)});
    } else if (has_next && words[i + 1].compare(0, 2, "--") != 0) {
      sorted.unknown.push_back({name.substr(2), words[++i]});
    } else {
      sorted.unknown.push_back({name.substr(2), std::nullopt});
    }
  }
  return sorted;
}

std::vector<std::string> split_tools(std::string const& text) {
  std::vector<std::string> tools;
  for (std::string const& name : split_names(text, ",+")) {
    if (name.empty()) throw usage_error(fmt::format("an empty name in '{}'", visible(text)));
    if (contains(tools, name)) throw usage_error(fmt::format("the tool {} is named twice", visible(name)));
    tools.push_back(name);
  }
  return tools;
}

bool parse_number(std::string const& text, double& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

void check_value(std::string const& tool, tool_option const& option, std::string const& value) {
  bool const is_switch = option.minimum == 0.0 && option.maximum == 1.0;
  if (!option.is_number || (is_switch && contains({"true", "false", "on", "off"}, value))) return;
  double number = 0;
  if (!parse_number(value, number)) {
    throw usage_error(fmt::format("--{} of {}: '{}' is not a number", option.name, tool, visible(value)));
  }
  if (option.minimum && number < *option.minimum) {
    throw usage_error(
        fmt::format("--{} of {}: {} is less than {}", option.name, tool, visible(value), *option.minimum));
  }
  if (option.maximum && number > *option.maximum) {
    throw usage_error(
        fmt::format("--{} of {}: {} is more than {}", option.name, tool, visible(value), *option.maximum));
  }
}

/// Finds out which tool an unknown flag is an option of. A tool without an installed description cannot be asked: the
/// option is handed to the program, which judges it.
void add_tool_option(sorted_words::unknown_flag const& flag, installed_tools const& installed, run_options& options) {
  std::string const spelling = option_spelling(flag.name);
  auto const dot = flag.name.find('.');
  std::string const only_tool = dot == std::string::npos ? "" : flag.name.substr(0, dot);
  std::string const name = dot == std::string::npos ? spelling : option_spelling(flag.name.substr(dot + 1));
  if (!only_tool.empty() && !contains(options.tools, only_tool)) {
    throw usage_error(fmt::format("--{}: {} is not among the tools of this run{}", visible(flag.name),
                                  visible(only_tool), suggestion(only_tool, options.tools)));
  }

  bool all_described = true, is_known = false;
  std::vector<std::string> candidates;
  for (std::string const& tool : options.tools) {
    if (!only_tool.empty() && tool != only_tool) continue;
    tool_description const* const description = installed.find(tool);
    all_described = all_described && description != nullptr;
    if (description == nullptr) continue;
    for (tool_option const& option : description->options) {
      candidates.push_back(option.name);
      if (option.name != name) continue;
      is_known = true;
      if (flag.value) check_value(tool, option, *flag.value);
    }
  }
  for (auto const* flags : {&value_flags, &plain_flags}) {
    for (std::string const& known : *flags) candidates.push_back(known.substr(2));
  }
  std::string const near = nearest(name, candidates);
  if (!is_known && (all_described || (only_tool.empty() && (!near.empty() || options.tools.empty())))) {
    throw usage_error(fmt::format("unknown flag --{}{}", visible(flag.name), suggestion(name, candidates, "--")));
  }
  if (!flag.value) throw usage_error(fmt::format("--{} needs a value", visible(flag.name)));
  if (flag.value->find('\n') != std::string::npos)
    throw usage_error(fmt::format("--{}: a value is one line", visible(flag.name)));
  options.tool_options.emplace_back(only_tool.empty() ? name : only_tool + "." + name, *flag.value);
}

void check_choice(char const* flag, std::string const& value, std::vector<std::string> const& choices) {
  if (value.empty() || contains(choices, value)) return;
  throw usage_error(fmt::format("{}: '{}' is not one of {}{}", flag, visible(value), joined(choices, ", "),
                                suggestion(value, choices)));
}

void check_values(run_options const& options) {
  check_choice("--route", options.route, {"auto", "probe", "ptx", "patch", "llvm"});
  check_choice("--per", options.per, {"kernel", "launch"});
  check_choice("--times", options.times, {"events", "cupti"});
  check_choice("--warp-width", options.warp_width, {"32", "64"});
  double number = 0;
  if (!options.sampling_rate.empty() &&
      (!parse_number(options.sampling_rate, number) || !(number >= limits::sampling_rate) || number > 1)) {
    throw usage_error(fmt::format("--sampling-rate: '{}' is not a number from {} to 1", visible(options.sampling_rate),
                                  limits::sampling_rate));
  }
  if (!options.sample_blocks.empty() &&
      (!parse_number(options.sample_blocks, number) || !(number >= limits::block_rate) || number > 1)) {
    throw usage_error(fmt::format("--sample-blocks: '{}' is not a number from {} to 1", visible(options.sample_blocks),
                                  limits::block_rate));
  }
  std::uint32_t seed = 0;
  char const *const seed_begin = options.seed.data(), *const seed_end = seed_begin + options.seed.size();
  if (auto const [end, error] = std::from_chars(seed_begin, seed_end, seed);
      !options.seed.empty() && (error != std::errc() || end != seed_end)) {
    throw usage_error(fmt::format("--seed: '{}' is not a number from 0 to 4294967295", visible(options.seed)));
  }
  try {  // as the program will read them
    if (!options.kernels.empty()) name_pattern("--kernels", options.kernels);
    if (!options.exclude.empty()) name_pattern("--exclude", options.exclude);
    if (!options.launches.empty()) parse_launch_range("--launches", options.launches);
    if (!options.schedule.empty()) parse_launch_schedule("--schedule", options.schedule);
    if (!options.devices.empty()) parse_device_list("--devices", options.devices);
    if (!options.spaces.empty()) parse_space_set("--spaces", options.spaces);
  } catch (pasta::usage_error const& e) {
    throw usage_error(e.what());
  }
  bool const is_count =
      options.threads.find_first_not_of("0123456789") == std::string::npos && options.threads.size() <= 4;
  int const threads = is_count ? std::atoi(options.threads.c_str()) : 0;
  if (!options.threads.empty() && (threads < 1 || threads > static_cast<int>(limits::host_threads))) {
    throw usage_error(
        fmt::format("--threads: '{}' is not a number from 1 to {}", visible(options.threads), limits::host_threads));
  }
}

}  // namespace

std::string joined(std::vector<std::string> const& names, char const* separator) {
  std::string text;
  bool is_first = true;
  for (std::string const& name : names) {
    if (!std::exchange(is_first, false)) text += separator;
    text += name;
  }
  return text;
}

std::optional<run_options> parse_run_options(arguments const& words, installed_tools const& installed) {
  auto const separator = std::find(words.begin(), words.end(), "--");
  sorted_words const sorted = sort_words(arguments(words.begin(), separator));
  run_options options;
  if (!sorted.tools.empty()) options.tools = split_tools(sorted.tools);

  auto const app =
      make_app("pasta run TOOL[,TOOL] [flags] [options of the tools] -- PROGRAM [arguments]",
               "Runs a program with a tool attached. The program keeps its output, its status and its signals;\n"
               "the report follows on stderr and goes to a JSON file.");
  auto const add = [&](char const* flag, std::string& value, char const* type, char const* variable,
                       std::string const& help) {
    app->add_option(flag, value, help)->envname(variable)->type_name(type);
  };
  add("--route", options.route, "ROUTE", "PASTA_ROUTE",
      "how events get from a kernel to the tool: probe, ptx,\npatch, llvm, or auto: each kernel by ptx or else by\n"
      "patch; default: as the program was built");
  add("--output", options.output, "PATH", "PASTA_OUTPUT",
      "the report's file; %p is the process, %h the host,\n%t the tool, %e the program, %% a percent sign;\n"
      "default pasta-%t-%e-%p.json");
  add("--per", options.per, "SCOPE", "PASTA_PER", "rows for each kernel (default) or launch");
  add("--sampling-rate", options.sampling_rate, "RATE", "PASTA_SAMPLING_RATE",
      "share of each kernel's launches analysed,\nabove 0, at most 1; the report estimates all");
  add("--sample-blocks", options.sample_blocks, "RATE", "PASTA_SAMPLE_BLOCKS",
      "share of each launch's blocks analysed (route patch, and\nthe CPU engine); the report estimates all");
  add("--seed", options.seed, "N", "PASTA_SEED", "which blocks: another number, another sample; default 0");
  add("--kernels", options.kernels, "REGEX", "PASTA_KERNELS",
      "only kernels whose name matches, anywhere in it\n(demangled; extended, as grep -E has them)");
  add("--exclude", options.exclude, "REGEX", "PASTA_EXCLUDE", "not the kernels whose name matches");
  add("--launches", options.launches, "FIRST:LAST[:STEP]", "PASTA_LAUNCHES",
      "only these launches of the program, numbered from 0,\nLAST included; a number left out is the program's;\n"
      "what is left out runs as without a tool");
  add("--schedule", options.schedule, "SCHEDULE", "PASTA_SCHEDULE",
      "only launches of active steps, such as\nwait=1,warmup=1,active=3,repeat=2,skip_first=10: the words\n"
      "are torch.profiler's, a step ends where the program\ncalls pasta_step() (Python: pasta.step())");
  add("--devices", options.devices, "N[,N...]", "PASTA_DEVICES",
      "only launches on these GPUs, by the numbers that the\nprogram knows them by");
  add("--spaces", options.spaces, "SPACE[,SPACE...]", "PASTA_SPACES",
      "route patch: only accesses of these memory spaces:\nglobal, shared, local; others are not patched, and "
      "cost\nnothing");
  add("--times", options.times, "SOURCE", "PASTA_TIMES",
      "GPU, route probe: when kernels began and ended, from\nevents (default) or cupti, which is closer and may keep\n"
      "another profiler out");
  add("--warp-width", options.warp_width, "LANES", "PASTA_WARP_WIDTH",
      "CPU engine: lanes of a warp,\n32 (default) or 64");
  add("--threads", options.threads, "COUNT", "PASTA_HOST_THREADS", "CPU engine: worker threads,\ndefault all cores");
  app->add_flag("--strict", options.is_strict, "exit with 125 if there is no report")->envname("PASTA_STRICT");
  app->add_flag("--quiet", options.is_quiet, "print only where the report is")->envname("PASTA_QUIET");
  app->add_flag(
         "--baseline", options.measures_baseline,
         "first run the program once without a tool, its\ninput and output on /dev/null, and report the\nslowdown")
      ->envname("PASTA_BASELINE");
  std::string ignored;
  for (std::string const& tool : options.tools) {
    tool_description const* const description = installed.find(tool);
    if (description == nullptr) continue;
    for (tool_option const& option : description->options) {
      // For the help text; their words were taken out before.
      std::string const name = "--" + option.name;
      if (app->get_option_no_throw(name) != nullptr) continue;
      std::string const help = option.default_value.empty()
                                   ? option.help
                                   : fmt::format("{} (default {})", option.help, option.default_value);
      app->add_option(name, ignored, help)->type_name("VALUE")->group("Options of " + tool);
    }
  }
  app->footer(
      "Flags and options of the tools may stand before or after TOOL. Each flag has a variable; the flag wins.\n"
      "When two tools share an option, --TOOL.OPTION names one.\n\n"
      "Examples:\n  pasta run coalescing -- ./transpose 1024\n"
      "  pasta run coalescing --sector-bytes 64 --output /tmp/%t-%p.json -- ./transpose 1024\n"
      "  pasta run coalescing --help          the options of coalescing");

  if (sorted.wants_help) {
    parse(*app, {"--help"});
    return std::nullopt;
  }
  if (parse(*app, sorted.flags) == parsed::help_was_shown) return std::nullopt;
  for (auto const& flag : sorted.unknown) add_tool_option(flag, installed, options);
  if (options.tools.empty()) throw usage_error("which tool? pasta run TOOL -- PROGRAM; pasta list shows the tools");
  check_values(options);
  if (separator == words.end() || separator + 1 == words.end()) {
    throw usage_error(fmt::format("which program? pasta run {} -- PROGRAM [arguments]", visible(sorted.tools)));
  }
  options.command.assign(separator + 1, words.end());
  return options;
}

}  // namespace pasta::cli
