// Semantic review: the policy reads a valid candidate and says whether it does what its prompt says
// (EvoEnv section 3.2, appendix E). The verdict gates admission and is no part of any reward.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/synth/admission/prompt_template.h"

namespace redqueen::synth {

// The rules that make one verdict of several. The samples are in order; one without a verdict is
// left out, and with none at all the candidate is rejected.
enum class ReviewRule {
  kSingle,     // the first sample decides
  kMajority,   // rejected by half of them or more
  kAnyReject,  // rejected by one or more; the paper's choice
  kAllReject,  // rejected by all
};

// "single", "majority", "any_reject", "all_reject".
std::string_view to_string(ReviewRule rule);

struct ReviewSettings {
  int samples = 3;  // K_rev
  double temperature = 0.6;
  int max_new_tokens = 8192;
  ReviewRule rule = ReviewRule::kAnyReject;
};

// ---- The prompt. ----

// A problem of the candidate, with what the solver would not see.
struct ReviewProblem {
  std::int64_t level = 0;
  std::string prompt;
  std::string reference;
  std::string state;  // as JSON
};

// An answer that was tried, and what came of it.
struct ReviewProbe {
  std::string answer;
  bool parsed = false;  // _process returned something
  double score = 0;     // where parsed
};

struct ReviewCase {
  std::string source;
  std::vector<ReviewProblem> problems;
  std::vector<ReviewProbe> probes;
  std::vector<std::string> remarks;  // ValidationReport::remarks
};

// Limits on the part of a case that is shown.
struct ReviewLimits {
  std::size_t problems = 3;  // of different levels, from the lowest
  std::size_t probes = 16;
  std::size_t longest = 4000;  // bytes of a prompt, a reference or a state
  std::size_t longest_answer = 200;
};

// `prompt` has the places {{source}}, {{problems}} and {{probes}}, and may have {{interface}}, the
// base class and its helpers (configs/evoenv/prompts/review.txt). Fails for a prompt with others.
Expected<std::string> review_prompt(const PromptTemplate& prompt, const ReviewCase& review_case,
                                    const ReviewLimits& limits = {});

// ---- Verdicts. ----

struct ReviewVerdict {
  bool rejects = false;
  std::string reason;  // why it rejects
};

// The verdict in the last line that is not blank:
//   VERDICT: ACCEPT
//   VERDICT: REJECT <reason>
// in letters of either case and with the marks that chat models lay over a line (bold, code,
// quotes, a full stop); nothing for any other last line.
std::optional<ReviewVerdict> parse_verdict(std::string_view response);

struct ReviewOutcome {
  bool rejected = true;
  std::vector<std::optional<ReviewVerdict>> verdicts;  // one a sample that came, in order
  std::vector<std::string> responses;
  int lost = 0;  // samples that failed; the others decide

  int accepts() const;
  int rejects() const;         // spoken out
  int no_verdicts() const;     // lost: they speak neither for nor against
  std::string reason() const;  // of the first sample that rejects, or that there was no verdict

  Json to_json() const;  // without the responses
};

// True if these verdicts reject under a rule. Without samples: yes.
bool aggregate(std::span<const std::optional<ReviewVerdict>> verdicts, ReviewRule rule);

// Samples `samples` responses to each prompt in one call of the policy, and concludes. The prompts
// are exactly what the policy reads. Sample k of prompt i is drawn at `address` with index
// address.index + i and salt address.salt + k. Responses that did not come are counted in
// `missing`, if it is given.
Expected<std::vector<ReviewOutcome>> review(Policy& policy, std::span<const std::string> prompts,
                                            const ReviewSettings& settings,
                                            const RandomAddress& address,
                                            MissingResponses* missing = nullptr);

// ---- Audit against labels (Table 5). ----

// A faulty environment that is rejected is a true positive.
struct ReviewAudit {
  int true_positives = 0;
  int false_positives = 0;
  int true_negatives = 0;
  int false_negatives = 0;

  void add(bool is_faulty, bool rejected);

  // Shares in [0, 1]; nothing where the denominator is 0.
  std::optional<double> accuracy() const;
  std::optional<double> precision() const;
  std::optional<double> recall() const;
  std::optional<double> f1() const;

  // True if faulty environments are rejected more often than sound ones, beyond what chance brings
  // about in one of twenty audits: a one-sided test of two shares, z > 1.645. False without both
  // kinds.
  bool better_than_chance() const;

  Json to_json() const;
};

// An environment whose label is known, and its verdicts.
struct LabelledReview {
  bool is_faulty = false;
  std::vector<std::optional<ReviewVerdict>> verdicts;
};

// One audit a rule, in the order of ReviewRule.
std::vector<std::pair<ReviewRule, ReviewAudit>> audit_reviews(
    std::span<const LabelledReview> reviews);

}  // namespace redqueen::synth
