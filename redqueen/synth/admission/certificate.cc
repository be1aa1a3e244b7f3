#include "redqueen/synth/admission/certificate.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "redqueen/core/batch.h"
#include "redqueen/synth/admission/funnel.h"

namespace redqueen::synth {
namespace {

using Numbers = std::vector<std::int64_t>;

// The integers of a text that 64 bits hold.
Numbers numbers_of(std::string_view text) {
  Numbers numbers;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < text.size();) {
    const bool negative = text[i] == '-' && i + 1 < text.size() && is_digit(text[i + 1]);
    if (!negative && !is_digit(text[i])) {
      ++i;
      continue;
    }
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (fault == std::errc()) numbers.push_back(value);
    i = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

std::string joined(const Numbers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text;
}

std::int64_t sum_of(const Numbers& numbers) {
  std::uint64_t sum = 0;  // wraps around, as no answer does
  for (const std::int64_t number : numbers) sum += static_cast<std::uint64_t>(number);
  return static_cast<std::int64_t>(sum);
}

struct Rule {
  const char* name;
  std::function<std::string(const Numbers& numbers)> answer;
};

// Rules about the numbers of a prompt that has some.
const std::vector<Rule>& number_rules() {
  static const std::vector<Rule> kRules{
      {"the first number of the prompt",
       [](const Numbers& n) { return std::to_string(n.front()); }},
      {"the last number of the prompt", [](const Numbers& n) { return std::to_string(n.back()); }},
      {"the largest number of the prompt",
       [](const Numbers& n) { return std::to_string(std::ranges::max(n)); }},
      {"the smallest number of the prompt",
       [](const Numbers& n) { return std::to_string(std::ranges::min(n)); }},
      {"the sum of the numbers of the prompt",
       [](const Numbers& n) { return std::to_string(sum_of(n)); }},
      {"how many numbers the prompt has",
       [](const Numbers& n) { return std::to_string(n.size()); }},
      {"the numbers of the prompt as they stand", joined},
      {"the numbers of the prompt in order", [](Numbers n) {
         std::ranges::sort(n);
         return joined(n);
       }}};
  return kRules;
}

// The most frequent reference of all problems but one; on equal terms the first in order.
std::string usual_reference(std::span<const ProblemPtr> problems, std::size_t but) {
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i != but) ++counts[problems[i]->reference()];
  }
  const auto best =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return best == counts.end() ? "" : best->first;
}

Json share_json(int solved, int tried) { return {{"solved", solved}, {"tried", tried}}; }

std::string answers_word(const SecondOpinion& opinion) {
  if (opinion.several_answers) return "several";
  return opinion.agreeing >= 2 ? "one" : "unknown";
}

}  // namespace

std::vector<Shortcut> try_shortcuts(std::span<const ProblemPtr> problems) {
  constexpr const char* kConstants[] = {"0", "1", "-1", "Yes", "No"};
  std::vector<Shortcut> shortcuts;
  std::vector<std::string> answers;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // shortcut, problem
  const auto add = [&](const std::string& name, const auto& answer_to) {
    shortcuts.push_back({.name = name});
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const std::optional<std::string> answer = answer_to(i);
      if (!answer) continue;
      answers.push_back(*answer);
      places.emplace_back(shortcuts.size() - 1, i);
    }
  };
  for (const char* constant : kConstants) {
    add(fmt::format("always {}", constant),
        [&](std::size_t) { return std::optional<std::string>(constant); });
  }
  for (const Rule& rule : number_rules()) {
    add(rule.name, [&](std::size_t i) -> std::optional<std::string> {
      const Numbers numbers = numbers_of(problems[i]->prompt());
      if (numbers.empty()) return std::nullopt;
      return rule.answer(numbers);
    });
  }
  add("the most frequent answer",
      [&](std::size_t i) { return std::optional(usual_reference(problems, i)); });
  std::vector<AnswerRequest> requests;
  for (std::size_t k = 0; k < places.size(); ++k)
    requests.push_back({problems[places[k].second].get(), answers[k]});
  const auto verdicts = score_all(requests);
  for (std::size_t k = 0; k < places.size(); ++k) {
    Shortcut& shortcut = shortcuts[places[k].first];
    ++shortcut.tried;
    shortcut.solved += verdicts[k].solved;
  }
  std::ranges::stable_sort(shortcuts, std::greater(), [](const Shortcut& one) {
    return one.tried == 0 ? 0.0 : static_cast<double>(one.solved) / one.tried;
  });
  return shortcuts;
}

Json certificate_of(const EnvironmentCandidate& candidate, std::string_view model) {
  Json certificate{{"layers", candidate.report.layer}, {"review", nullptr},
                   {"second_authors", nullptr},        {"answers", "unknown"},
                   {"pass_rates", Json::array()},      {"shortcuts", Json::array()}};
  if (candidate.review) {
    certificate["review"] = {{"accepts", candidate.review->accepts()},
                             {"verdicts", candidate.review->verdicts.size()}};
  }
  if (candidate.second) {
    const SecondOpinion& second = *candidate.second;
    certificate["second_authors"] = {{"verdict", std::string(to_string(second.verdict))},
                                     {"agreeing", second.agreeing},
                                     {"speaking", second.speaking},
                                     {"programs", second.programs},
                                     {"instances", second.instances}};
    certificate["answers"] = answers_word(second);
  }
  for (const auto& [level, count] : candidate.calibration.levels) {
    Json rate = share_json(count.solved, count.instances);
    rate["model"] = std::string(model);
    rate["level"] = level;
    certificate["pass_rates"].push_back(std::move(rate));
  }
  for (const Shortcut& shortcut : candidate.shortcuts) {
    if (shortcut.tried == 0) continue;
    Json one = share_json(shortcut.solved, shortcut.tried);
    one["name"] = shortcut.name;
    certificate["shortcuts"].push_back(std::move(one));
  }
  return certificate;
}

std::vector<std::pair<std::string, std::string>> certificate_lines(const Json& certificate) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (!certificate.is_object() || !certificate.contains("layers")) return lines;
  lines.emplace_back("layers passed", fmt::format("{} of 5", certificate.value("layers", 0)));
  if (const Json review = certificate.value("review", Json()); review.is_object()) {
    lines.emplace_back("review", fmt::format("{} of {} accept", review.value("accepts", 0),
                                             review.value("verdicts", 0)));
  }
  if (const Json second = certificate.value("second_authors", Json()); second.is_object()) {
    lines.emplace_back("second authors",
                       fmt::format("{}: {} of {} programs give its references on {} problems",
                                   second.value("verdict", ""), second.value("agreeing", 0),
                                   second.value("programs", 0), second.value("instances", 0)));
    lines.emplace_back("right answers", certificate.value("answers", "unknown"));
  }
  std::map<std::string, std::string> rates;
  for (const Json& rate : certificate.value("pass_rates", Json::array())) {
    std::string& text = rates[rate.value("model", "")];
    text += fmt::format("{}level {}: {} of {}", text.empty() ? "" : ", ", rate.value("level", 0),
                        rate.value("solved", 0), rate.value("tried", 0));
  }
  for (const auto& [model, text] : rates)
    lines.emplace_back("solved", model.empty() ? text : fmt::format("{} ({})", text, model));
  const Json shortcuts = certificate.value("shortcuts", Json::array());
  if (!shortcuts.empty()) {
    const Json& best = shortcuts.front();
    lines.emplace_back("best shortcut", fmt::format("{}: {} of {}; {} others do no better",
                                                    best.value("name", ""), best.value("solved", 0),
                                                    best.value("tried", 0), shortcuts.size() - 1));
  }
  return lines;
}

}  // namespace redqueen::synth
