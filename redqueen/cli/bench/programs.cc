#include "redqueen/cli/bench/programs.h"

namespace redqueen {

std::vector<BenchProgram> read_bench_programs(std::string_view text) {
  constexpr std::string_view kMark = "#> ";
  std::vector<BenchProgram> programs;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with(kMark)) {
      programs.push_back({.source = {}, .arguments = std::string(line.substr(kMark.size()))});
    } else if (!programs.empty()) {
      programs.back().source += line;
      programs.back().source += '\n';
    }
  }
  return programs;
}

}  // namespace redqueen
