#include "redqueen/synth/validation/layer_audit.h"

#include <algorithm>
#include <utility>

#include "redqueen/base/text_file.h"

namespace redqueen::synth {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "# expect: ";
constexpr std::string_view kRemark = "remark ";
constexpr std::string_view kThoughFaulty = ", though faulty";
constexpr std::string_view kThoughSound = ", though sound";

bool take_end(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

Expected<ZooAnimal> read_animal(const fs::path& file) {
  ASSIGN_OR_RETURN(std::string source, read_text_file(file, ErrorKind::kUsage));
  if (!source.starts_with(kHeader)) {
    return usage_error(
        "{}: its first line does not say what to expect: \"# expect: sound\", or \"# "
        "expect: L5 exact_float\"",
        file.string());
  }
  const std::size_t end = std::min(source.find('\n'), source.size());
  std::string expected = source.substr(kHeader.size(), end - kHeader.size());
  const bool though_faulty = take_end(expected, kThoughFaulty);
  const bool though_sound = take_end(expected, kThoughSound);
  const bool is_faulty = though_faulty || (expected != "sound" && !though_sound);
  std::string remark;
  if (expected.starts_with(kRemark))
    remark = std::exchange(expected, "sound").substr(kRemark.size());
  return ZooAnimal{file.stem().string(), std::move(source), std::move(expected), is_faulty,
                   std::move(remark)};
}

std::string share_text(int part, int whole) {
  return whole == 0 ? "–" : fmt::format("{:.0f} %", 100.0 * part / whole);
}

std::string row(std::string_view name, const LayerScore& score) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", name, score.refused, score.rightly,
                     share_text(score.rightly, score.refused),
                     share_text(score.caught_by_now, score.faulty));
}

}  // namespace

Expected<std::vector<ZooAnimal>> read_zoo(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  if (files.empty())
    return usage_error("{}: there is no candidate (NAME.py) in it", folder.string());
  std::ranges::sort(files);
  std::vector<ZooAnimal> animals;
  for (const fs::path& file : files) {
    ASSIGN_OR_RETURN(animals.emplace_back(), read_animal(file));
  }
  return animals;
}

std::vector<LayerScore> layer_scores(std::span<const ZooAnimal> animals,
                                     std::span<const ValidationReport> reports) {
  std::vector<LayerScore> scores(5);
  for (std::size_t i = 0; i < animals.size(); ++i) {
    const auto passed = static_cast<std::size_t>(reports[i].layer);
    for (LayerScore& score : scores) score.faulty += animals[i].is_faulty;
    if (passed >= scores.size()) continue;
    ++scores[passed].refused;
    if (!animals[i].is_faulty) continue;
    ++scores[passed].rightly;
    for (std::size_t layer = passed; layer < scores.size(); ++layer) ++scores[layer].caught_by_now;
  }
  return scores;
}

std::string layer_table(std::span<const ZooAnimal> animals,
                        std::span<const ValidationReport> reports) {
  std::string table =
      "| layer | refused | of them faulty | precision | recall so far |\n| --- | --- | --- | --- | "
      "--- |\n";
  LayerScore all;
  int layer = 0;
  for (const LayerScore& score : layer_scores(animals, reports)) {
    table += row(fmt::format("L{}", ++layer), score);
    all.refused += score.refused;
    all.rightly += score.rightly;
    all.faulty = score.faulty;
    all.caught_by_now = score.caught_by_now;
  }
  table += row(fmt::format("all {}, {} of them faulty", animals.size(), all.faulty), all);
  LayerScore remarks{.faulty = all.faulty, .caught_by_now = all.caught_by_now};
  for (std::size_t i = 0; i < animals.size(); ++i) {
    if (!reports[i].sound() || reports[i].remarks.empty()) continue;
    ++remarks.refused;
    remarks.rightly += animals[i].is_faulty;
    remarks.caught_by_now += animals[i].is_faulty;
  }
  return table + row("passed with a remark", remarks);
}

}  // namespace redqueen::synth
