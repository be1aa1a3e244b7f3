#include "redqueen/recipes/evoenv/review_audit.h"

#include <string>
#include <utility>
#include <vector>

#include "redqueen/synth/validation/validation.h"
#include "redqueen/synth/writer/environment_writer.h"

namespace redqueen::evoenv {
namespace {

constexpr int kMostRounds = 6;  // of writing, until enough pass validation

struct Subject {
  std::string source;
  synth::ValidationReport report;
};

// Environments with or without a wrong reference that pass every layer.
std::vector<Subject> write_subjects(sandbox::Sandbox& sandbox,
                                    const synth::ValidationOptions& validation, int count,
                                    bool is_faulty, Rng& rng) {
  std::vector<Subject> subjects;
  for (int round = 0; round < kMostRounds && std::ssize(subjects) < count; ++round) {
    std::vector<std::string> sources;
    for (auto missing = count - std::ssize(subjects); missing > 0; --missing) {
      sources.push_back(
          write_environment(rng, is_faulty ? synth::Defect::kWrongReference : synth::Defect::kNone)
              .source);
    }
    auto reports = validate(sandbox, sources, validation);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (reports[i].sound()) subjects.push_back({std::move(sources[i]), std::move(reports[i])});
    }
  }
  return subjects;
}

}  // namespace

Expected<synth::ReviewAudit> audit_reviewer(sandbox::Sandbox& sandbox, Policy& policy,
                                            const synth::FunnelSettings& funnel, int environments,
                                            const RandomAddress& address,
                                            MissingResponses& missing) {
  synth::ReviewAudit audit;
  if (!funnel.review_template) return audit;
  RandomAddress writing = address;
  writing.purpose = hash_name("environments of an audit");
  Rng rng(writing);
  std::vector<std::string> prompts;
  std::vector<bool> faulty;
  for (const bool is_faulty : {false, true}) {
    for (const Subject& subject :
         write_subjects(sandbox, funnel.validation, environments / 2, is_faulty, rng)) {
      ASSIGN_OR_RETURN(const auto text, review_prompt(*funnel.review_template,
                                                      review_case(subject.source, subject.report),
                                                      funnel.review_limits));
      prompts.push_back(funnel.text_format.render(text));
      faulty.push_back(is_faulty);
    }
  }
  ASSIGN_OR_RETURN(const auto outcomes,
                   synth::review(policy, prompts, funnel.review, address, &missing));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].verdicts.empty()) audit.add(faulty[i], outcomes[i].rejected);
  }
  return audit;
}

}  // namespace redqueen::evoenv
