#include "redqueen/synth/validation/statement_contract.h"

#include <charconv>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "redqueen/base/ascii.h"

namespace redqueen::synth {
namespace {

constexpr std::size_t kFewestProblems = 20;
constexpr std::size_t kFewestAnswers = 5;
constexpr std::size_t kPlaces = 8;                        // numbers at each end of a prompt
constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // so that differences can be multiplied

ValidationFault fault_of(std::string_view name) {
  using enum ValidationFault;
  for (const ValidationFault fault : {kNumberNotInCode, kBoundDiffers, kWordingDiffers}) {
    if (name_of(fault) == name) return fault;
  }
  return kNone;
}

// Integers of a text that are not a part of a longer number or word; nothing if one is too large.
std::optional<std::vector<std::int64_t>> integers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_ascii_digit(text[i])) continue;
    const bool negative = i > 0 && text[i - 1] == '-' && (i < 2 || !is_ascii_digit(text[i - 2]));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (error != std::errc() || value > kLargest) return std::nullopt;
    numbers.push_back(negative ? -value : value);
    i = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value > kLargest || value < -kLargest ? std::nullopt : std::optional(value);
}

// Whether all points (x, y) lie on one line that is neither level nor upright. Differences fit
// into 128 bits when multiplied.
__extension__ using Wide = __int128;
bool on_one_line(std::span<const std::int64_t> x, std::span<const std::int64_t> y) {
  std::size_t other = 0;
  while (other < x.size() && x[other] == x[0]) ++other;
  if (other == x.size() || y[other] == y[0]) return false;
  const Wide dx = x[other] - x[0], dy = y[other] - y[0];
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (Wide{y[i] - y[0]} * dx != Wide{x[i] - x[0]} * dy) return false;
  }
  return true;
}

// The numbers at one place of all prompts; empty where a prompt has none there.
std::vector<std::int64_t> at_place(std::span<const std::vector<std::int64_t>> numbers,
                                   std::size_t place, bool from_end) {
  std::vector<std::int64_t> column;
  for (const auto& row : numbers) {
    if (place >= row.size()) return {};
    column.push_back(from_end ? row[row.size() - 1 - place] : row[place]);
  }
  return column;
}

bool varies(std::span<const std::int64_t> column) {
  return std::set<std::int64_t>(column.begin(), column.end()).size() > 1;
}

// How many numbers of the prompts are not the same in all of them.
std::size_t varying_numbers(std::span<const std::vector<std::int64_t>> numbers) {
  std::size_t shortest = numbers.front().size(), longest = 0;
  for (const auto& row : numbers) {
    shortest = std::min(shortest, row.size());
    longest = std::max(longest, row.size());
  }
  if (longest > shortest) return longest;
  std::size_t count = 0;
  for (std::size_t place = 0; place < shortest; ++place)
    count += varies(at_place(numbers, place, false));
  return count;
}

}  // namespace

Expected<StatementReading> read_statement(const Json& json) {
  try {
    StatementReading reading;
    for (const Json& remark : json.at("remarks")) {
      const ValidationFault fault = fault_of(remark.at(0).get<std::string>());
      if (fault == ValidationFault::kNone) return failure("a remark is of no known kind");
      reading.remarks.push_back({fault, remark.at(1).get<std::string>()});
    }
    reading.suspects = json.at("suspects");
    for (const Json& place : reading.suspects) {
      if (place.size() != 4) return failure("a suspect has {} parts", place.size());
      for (const Json& part : place) static_cast<void>(part.get<std::int64_t>());
    }
    if (!json.at("decimals").is_null()) reading.decimals = json.at("decimals").get<int>();
    reading.once = json.at("once").get<bool>();
    reading.sentences = json.at("sentences").get<std::vector<std::string>>();
    reading.names = json.at("names").get<std::vector<std::string>>();
    return reading;
  } catch (const nlohmann::json::exception& error) {
    return failure("the reading of a statement is none: {}", error.what());
  }
}

InputFindings check_inputs(const Json& evidence, const StatementReading& reading) {
  using enum ValidationFault;
  InputFindings found;
  const auto problems = evidence.at("problems").get<std::int64_t>();
  const Json& numbers = evidence.at("numbers");
  for (std::size_t i = 0; i < std::min(numbers.size(), reading.suspects.size()); ++i) {
    const auto moved = numbers[i].get<std::int64_t>();
    if (moved < 2 || 2 * moved < problems) continue;
    const Json& place = reading.suspects[i];
    found.remarks.push_back(
        {kNumberNotInPrompt,
         fmt::format("the answer depends on the {} of line {}, which no prompt states: with {} in "
                     "its place {} of {} problems have another answer and the same prompt",
                     place[2].get<std::int64_t>(), place[3].get<std::int64_t>(),
                     place[2].get<std::int64_t>() + 1, moved, problems)});
  }
  if (const Json& draws = evidence.at("draws"); draws.size() >= 2) {
    found.proof = {kHiddenParameter,
                   fmt::format("the prompt does not show all that was drawn: at difficulty {}, "
                               "seed {}, another draw gives the same prompt and the answer {}, "
                               "which counts as wrong here",
                               dump_json(draws[0].at("level")), dump_json(draws[0].at("seed")),
                               draws[0].at("other").get<std::string>().substr(0, 60))};
  }
  for (const Json& stored : evidence.at("stored")) {
    const bool differs_by_level = stored.at(1).get<bool>();
    ValidationFinding finding{
        kHiddenParameter, fmt::format("the answer depends on self.{}, which no prompt shows{}",
                                      stored.at(0).get<std::string>(),
                                      differs_by_level ? " and which differs by difficulty" : "")};
    if (!differs_by_level) {
      found.remarks.push_back(std::move(finding));
    } else if (found.proof.fault == kNone) {
      found.proof = std::move(finding);
    }
  }
  if (const Json& moved = evidence.at("reordered"); moved.size() >= 2) {
    found.remarks.push_back(
        {kNone,
         fmt::format("the same lines in another order have another answer: at difficulty {}, "
                     "seed {} it is {}, which counts as wrong for the order shown. If the "
                     "order means nothing, several answers are right and only one is accepted",
                     dump_json(moved[0].at("level")), dump_json(moved[0].at("seed")),
                     moved[0].at("other").get<std::string>().substr(0, 60))});
  }
  return found;
}

ValidationFinding check_affine_leak(std::span<const ProblemSample> samples) {
  if (samples.size() < kFewestProblems) return {};
  std::vector<std::int64_t> answers;
  std::vector<std::vector<std::int64_t>> numbers;
  for (const ProblemSample& sample : samples) {
    const auto answer = integer_of(sample.reference);
    auto row = integers_in(sample.prompt);
    if (!answer || !row || row->empty()) return {};
    answers.push_back(*answer);
    numbers.push_back(std::move(*row));
  }
  if (std::set<std::int64_t>(answers.begin(), answers.end()).size() < kFewestAnswers) return {};
  if (varying_numbers(numbers) < 2) return {};  // a short sum with one number is no leak
  for (std::size_t place = 0; place < kPlaces; ++place) {
    for (const bool from_end : {false, true}) {
      const auto column = at_place(numbers, place, from_end);
      if (column.empty() || !on_one_line(column, answers)) continue;
      return {ValidationFault::kReferenceInPrompt,
              fmt::format("in all {} problems the answer is a·x + b of the number x at place {} "
                          "from the {} of the prompt, whatever its other numbers are: {} and {}",
                          samples.size(), place + 1, from_end ? "end" : "beginning", column[0],
                          answers[0])};
    }
  }
  return {};
}

}  // namespace redqueen::synth
