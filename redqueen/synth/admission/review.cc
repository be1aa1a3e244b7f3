#include "redqueen/synth/admission/review.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>

#include "redqueen/synth/embedded_files.h"

namespace redqueen::synth {
namespace {

constexpr std::array kRules{ReviewRule::kSingle, ReviewRule::kMajority, ReviewRule::kAnyReject,
                            ReviewRule::kAllReject};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string describe(const ReviewProblem& problem, std::size_t number, std::size_t longest) {
  const auto block = [&](std::string_view text) { return fenced(shortened(text, longest)); };
  return fmt::format(
      "Problem {}, level {}. Its prompt:\n{}\nThe stored answer:\n{}\n"
      "Everything stored:\n{}",
      number, problem.level, block(problem.prompt), block(problem.reference), block(problem.state));
}

// Up to `most` problems: of each level in turn, from the lowest, the first that was not taken.
std::vector<const ReviewProblem*> of_several_levels(const std::vector<ReviewProblem>& problems,
                                                    std::size_t most) {
  std::map<std::int64_t, std::deque<const ReviewProblem*>> levels;
  for (const ReviewProblem& problem : problems) levels[problem.level].push_back(&problem);
  std::vector<const ReviewProblem*> chosen;
  most = std::min(most, problems.size());
  while (chosen.size() < most) {
    for (auto& [level, left] : levels) {
      if (left.empty() || chosen.size() == most) continue;
      chosen.push_back(left.front());
      left.pop_front();
    }
  }
  return chosen;
}

std::string describe(const ReviewProbe& probe, std::size_t longest) {
  // As JSON writes it: line ends and quotes stay visible, and the line stays one.
  const std::string answer = dump_json(Json(shortened(probe.answer, longest)));
  return probe.parsed ? fmt::format("- {} scores {}", answer, probe.score)
                      : fmt::format("- {} is refused by _process", answer);
}

std::optional<double> share(int part, int whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / whole;
}

Json json_of(std::optional<double> number) { return number ? Json(*number) : Json(nullptr); }

// The marks that chat models put around a line.
constexpr std::string_view kMarks = "*_`#>";
constexpr std::string_view kBeforeReason = " \t:.,;-";

// The last line that is not empty, but for the fences of code.
std::string last_line(std::string_view text) {
  for (;;) {
    text = trimmed(text);
    const std::size_t end = text.find_last_of("\n\r");
    const std::string_view line =
        trimmed(end == std::string_view::npos ? text : text.substr(end + 1));
    if (end == std::string_view::npos || line != "```") return std::string(line);
    text = text.substr(0, end);
  }
}

// Takes `word`, in letters of either case, off the front; no letter may follow.
bool take_word(std::string_view& text, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  if (text.size() < word.size() || !std::equal(word.begin(), word.end(), text.begin(),
                                               [&](char a, char b) { return a == lower(b); }))
    return false;
  if (text.size() > word.size()) {
    const char next = lower(text[word.size()]);
    if (next >= 'a' && next <= 'z') return false;
  }
  text.remove_prefix(word.size());
  return true;
}

bool is_rejection(const std::optional<ReviewVerdict>& verdict) {
  return verdict && verdict->rejects;
}

ReviewOutcome conclude(const CompletionGroup& group, ReviewRule rule) {
  ReviewOutcome outcome;
  for (const Completion& completion : group.completions) {
    if (completion.finish == FinishReason::kFailed) {
      ++outcome.lost;
      continue;
    }
    outcome.verdicts.push_back(parse_verdict(completion.text));
    outcome.responses.push_back(completion.text);
  }
  outcome.rejected = aggregate(outcome.verdicts, rule);
  return outcome;
}

}  // namespace

std::string_view to_string(ReviewRule rule) {
  switch (rule) {
    case ReviewRule::kSingle:
      return "single";
    case ReviewRule::kMajority:
      return "majority";
    case ReviewRule::kAnyReject:
      return "any_reject";
    case ReviewRule::kAllReject:
      return "all_reject";
  }
  return "unknown";
}

Expected<std::string> review_prompt(const PromptTemplate& prompt, const ReviewCase& review_case,
                                    const ReviewLimits& limits) {
  std::string problems, probes;
  std::size_t number = 0;
  for (const ReviewProblem* problem : of_several_levels(review_case.problems, limits.problems)) {
    problems += number > 0 ? "\n\n" : "";
    problems += describe(*problem, ++number, limits.longest);
  }
  for (std::size_t i = 0; i < std::min(limits.probes, review_case.probes.size()); ++i) {
    probes += i > 0 ? "\n" : "";
    probes += describe(review_case.probes[i], limits.longest_answer);
  }
  std::string remarks;
  for (const std::string& remark : review_case.remarks) remarks += fmt::format("\n- {}", remark);
  if (!remarks.empty())
    probes += "\n\nDoubts from reading its words beside its code; they may be unfounded:" + remarks;
  const auto or_none = [](const std::string& text) { return text.empty() ? "(none)" : text; };
  std::map<std::string, std::string> values{{"source", fenced(review_case.source, "python")},
                                            {"problems", or_none(problems)},
                                            {"probes", or_none(probes)}};
  const auto names = prompt.names();
  if (std::ranges::find(names, "interface") != names.end())
    values["interface"] = fenced(base_source(), "python");
  return prompt.fill(values);
}

std::optional<ReviewVerdict> parse_verdict(std::string_view response) {
  std::string line = last_line(response);
  std::erase_if(line, [](char c) { return kMarks.find(c) != std::string_view::npos; });
  std::string_view rest = trimmed(line);
  if (!take_word(rest, "verdict")) return std::nullopt;
  rest = trimmed(rest);
  if (!rest.starts_with(':')) return std::nullopt;
  rest = trimmed(rest.substr(1));
  if (take_word(rest, "accept")) {
    const bool nothing_else = trimmed(rest).empty() || trimmed(rest) == ".";
    return nothing_else ? std::optional(ReviewVerdict{}) : std::nullopt;
  }
  if (!take_word(rest, "reject")) return std::nullopt;
  while (!rest.empty() && kBeforeReason.find(rest.front()) != std::string_view::npos)
    rest.remove_prefix(1);
  const std::string_view reason = trimmed(rest);
  return ReviewVerdict{.rejects = true,
                       .reason = std::string(reason.empty() ? "No reason was given." : reason)};
}

int ReviewOutcome::accepts() const {
  return static_cast<int>(std::count_if(verdicts.begin(), verdicts.end(),
                                        [](const auto& v) { return v && !v->rejects; }));
}

int ReviewOutcome::rejects() const {
  return static_cast<int>(std::count_if(verdicts.begin(), verdicts.end(),
                                        [](const auto& v) { return v && v->rejects; }));
}

int ReviewOutcome::no_verdicts() const {
  return static_cast<int>(std::count(verdicts.begin(), verdicts.end(), std::nullopt));
}

std::string ReviewOutcome::reason() const {
  for (const auto& verdict : verdicts) {
    if (verdict && verdict->rejects) return verdict->reason;
  }
  return accepts() == static_cast<int>(verdicts.size()) ? "" : "A review ended without a verdict.";
}

Json ReviewOutcome::to_json() const {
  Json list = Json::array();
  for (const auto& verdict : verdicts) {
    if (!verdict) {
      list.push_back({{"verdict", "none"}});
    } else if (verdict->rejects) {
      list.push_back({{"verdict", "reject"}, {"reason", verdict->reason}});
    } else {
      list.push_back({{"verdict", "accept"}});
    }
  }
  return {{"rejected", rejected}, {"verdicts", std::move(list)}};
}

bool aggregate(std::span<const std::optional<ReviewVerdict>> verdicts, ReviewRule rule) {
  // A sample without a verdict is lost: it speaks neither for nor against.
  const auto first = std::find_if(verdicts.begin(), verdicts.end(),
                                  [](const auto& verdict) { return verdict.has_value(); });
  if (first == verdicts.end()) return true;
  const auto rejections = std::count_if(verdicts.begin(), verdicts.end(), is_rejection);
  const auto samples = static_cast<std::ptrdiff_t>(
      verdicts.size() - std::count(verdicts.begin(), verdicts.end(), std::nullopt));
  switch (rule) {
    case ReviewRule::kSingle:
      return is_rejection(*first);
    case ReviewRule::kMajority:
      return 2 * rejections >= samples;
    case ReviewRule::kAnyReject:
      return rejections > 0;
    case ReviewRule::kAllReject:
      return rejections == samples;
  }
  return true;
}

Expected<std::vector<ReviewOutcome>> review(Policy& policy, std::span<const std::string> prompts,
                                            const ReviewSettings& settings,
                                            const RandomAddress& address,
                                            MissingResponses* missing) {
  if (settings.samples < 1) return usage_error("review: samples must be at least 1");
  std::vector<SampleRequest> requests;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    SampleRequest& request = requests.emplace_back(SampleRequest{.prompt = prompts[i]});
    for (int k = 0; k < settings.samples; ++k) {
      RandomAddress& sample = request.addresses.emplace_back(address);
      sample.index += i;
      sample.salt += static_cast<std::uint64_t>(k);
    }
  }
  const SampleParameters parameters{.max_new_tokens = settings.max_new_tokens,
                                    .temperature = settings.temperature};
  ASSIGN_OR_RETURN(const auto groups, policy.sample(requests, parameters));
  if (missing != nullptr) missing->count(groups);
  std::vector<ReviewOutcome> outcomes;
  outcomes.reserve(groups.size());
  for (const CompletionGroup& group : groups) outcomes.push_back(conclude(group, settings.rule));
  return outcomes;
}

void ReviewAudit::add(bool is_faulty, bool rejected) {
  if (is_faulty) {
    ++(rejected ? true_positives : false_negatives);
  } else {
    ++(rejected ? false_positives : true_negatives);
  }
}

std::optional<double> ReviewAudit::accuracy() const {
  return share(true_positives + true_negatives,
               true_positives + false_positives + true_negatives + false_negatives);
}

std::optional<double> ReviewAudit::precision() const {
  return share(true_positives, true_positives + false_positives);
}

std::optional<double> ReviewAudit::recall() const {
  return share(true_positives, true_positives + false_negatives);
}

std::optional<double> ReviewAudit::f1() const {
  return share(2 * true_positives, 2 * true_positives + false_positives + false_negatives);
}

bool ReviewAudit::better_than_chance() const {
  constexpr double kOneInTwenty = 1.645;
  const double faulty = true_positives + false_negatives;
  const double sound = false_positives + true_negatives;
  if (faulty == 0 || sound == 0) return false;
  const double rejected = (true_positives + false_positives) / (faulty + sound);
  const double spread = std::sqrt(rejected * (1 - rejected) * (1 / faulty + 1 / sound));
  return true_positives / faulty - false_positives / sound > kOneInTwenty * spread;
}

Json ReviewAudit::to_json() const {
  return {{"true_positives", true_positives}, {"false_positives", false_positives},
          {"true_negatives", true_negatives}, {"false_negatives", false_negatives},
          {"accuracy", json_of(accuracy())},  {"precision", json_of(precision())},
          {"recall", json_of(recall())},      {"f1", json_of(f1())}};
}

std::vector<std::pair<ReviewRule, ReviewAudit>> audit_reviews(
    std::span<const LabelledReview> reviews) {
  std::vector<std::pair<ReviewRule, ReviewAudit>> audits;
  for (const ReviewRule rule : kRules) {
    ReviewAudit audit;
    for (const LabelledReview& review : reviews) {
      audit.add(review.is_faulty, aggregate(review.verdicts, rule));
    }
    audits.emplace_back(rule, audit);
  }
  return audits;
}

}  // namespace redqueen::synth
