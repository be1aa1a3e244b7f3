#include "redqueen/core/batch.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "redqueen/base/parallel.h"
#include "redqueen/core/answer_limits.h"
#include "redqueen/core/completion.h"
#include "redqueen/core/plain_form.h"

namespace redqueen {
namespace {

// Requests that one thread takes at a time: enough to pay for fetching them, few enough to share
// the work evenly.
constexpr std::size_t kGenerationGrain = 4;
constexpr std::size_t kScoringGrain = 32;

// Requests that are done in one go: by a worker, or one by one where there is none.
struct Share {
  const BatchWorker* worker = nullptr;
  std::vector<std::size_t> places;
};

// Those of a worker are one share; they come first, because they take longest.
template <typename WorkerOf>
std::vector<Share> split(std::size_t count, std::size_t grain, WorkerOf worker_of) {
  std::vector<Share> shares;
  std::map<const BatchWorker*, std::size_t> share_of;
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < count; ++i) {
    const BatchWorker* worker = worker_of(i);
    if (worker == nullptr) {
      alone.push_back(i);
      continue;
    }
    const auto [found, added] = share_of.try_emplace(worker, shares.size());
    if (added) shares.push_back({worker, {}});
    shares[found->second].places.push_back(i);
  }
  for (std::size_t i = 0; i < alone.size(); ++i) {
    if (i % grain == 0) shares.emplace_back();
    shares.back().places.push_back(alone[i]);
  }
  return shares;
}

// together(worker, requests) gives the outcomes of a share, one(request) a single outcome.
template <typename Outcome, typename Request, typename WorkerOf, typename Together, typename One>
std::vector<Outcome> run_all(std::span<const Request> requests, std::size_t grain, int threads,
                             WorkerOf worker_of, Together together, One one) {
  std::vector<Outcome> outcomes(requests.size());
  // Where nothing has a worker, there are no shares to make.
  if (std::ranges::all_of(requests,
                          [&](const Request& request) { return worker_of(request) == nullptr; })) {
    parallel_chunks(requests.size(), grain, threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) outcomes[i] = one(requests[i]);
    });
    return outcomes;
  }
  const auto shares =
      split(requests.size(), grain, [&](std::size_t i) { return worker_of(requests[i]); });
  parallel_chunks(shares.size(), 1, threads, [&](std::size_t index, std::size_t) {
    const auto& [worker, places] = shares[index];
    if (worker == nullptr) {
      for (const std::size_t place : places) outcomes[place] = one(requests[place]);
      return;
    }
    std::vector<Request> own;
    own.reserve(places.size());
    for (const std::size_t place : places) own.push_back(requests[place]);
    std::vector<Outcome> done = together(*worker, own);
    assert(done.size() == places.size());
    for (std::size_t k = 0; k < places.size(); ++k) outcomes[places[k]] = std::move(done[k]);
  });
  return outcomes;
}

}  // namespace

std::vector<Generated> generate_all(std::span<const ProblemRequest> requests,
                                    const BatchOptions& options) {
  return run_all<Generated>(
      requests, kGenerationGrain, options.threads,
      [](const ProblemRequest& request) { return request.environment->batch_worker(); },
      [&](const BatchWorker& worker, std::span<const ProblemRequest> own) {
        return worker.generate(own, options.limits);
      },
      [&](const ProblemRequest& request) {
        return request.environment->generate(request.level, request.seed, request.salt,
                                             options.limits);
      });
}

namespace {

std::vector<Verdict> score_strictly(std::span<const AnswerRequest> requests,
                                    const BatchOptions& options) {
  return run_all<Verdict>(
      requests, kScoringGrain, options.threads,
      [](const AnswerRequest& request) { return request.problem->batch_worker(); },
      [](const BatchWorker& worker, std::span<const AnswerRequest> own) {
        return worker.score(own);
      },
      [](const AnswerRequest& request) {
        return score_within_limits(*request.problem, request.answer);
      });
}

}  // namespace

// Two rounds, so that workers see batches in both.
std::vector<Verdict> score_all(std::span<const AnswerRequest> requests,
                               const BatchOptions& options) {
  std::vector<Verdict> verdicts = score_strictly(requests, options);
  if (options.reading == AnswerReading::kStrict) return verdicts;
  std::vector<OtherForms> forms(requests.size());
  parallel_chunks(requests.size(), kScoringGrain, options.threads,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      const auto& [problem, answer] = requests[i];
                      if (verdicts[i].solved || is_too_long(*problem, answer)) continue;
                      forms[i] = other_forms(answer, problem->answer_kind());
                    }
                  });
  std::vector<AnswerRequest> again;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (const std::string& form : forms[i].list) again.push_back({requests[i].problem, form});
  }
  const std::vector<Verdict> others = score_strictly(again, options);
  std::span<const Verdict> rest = others;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::size_t count = forms[i].list.size();
    if (count == 0) continue;
    verdicts[i] = best_verdict(verdicts[i], forms[i], rest.first(count));
    rest = rest.subspan(count);
  }
  return verdicts;
}

namespace {

// Whether the prompt begins the response; else the completion is all of it.
bool is_begun_by(const PromptFormat& format) { return format.text.ends_with(kAnswerOpening); }

}  // namespace

std::vector<Verdict> score_completions(std::span<const CompletionRequest> requests,
                                       const PromptFormat& format, std::size_t max_bytes,
                                       const BatchOptions& options) {
  const bool copies = is_begun_by(format);
  std::vector<std::string> responses(copies ? requests.size() : 0);  // answers point into these
  std::vector<std::optional<std::string_view>> answers(requests.size());
  parallel_chunks(requests.size(), kScoringGrain, options.threads,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i) {
                      std::string_view response = requests[i].completion;
                      if (copies) response = responses[i] = response_of(response, format);
                      answers[i] = find_answer(response, format, max_bytes);
                    }
                  });
  std::vector<AnswerRequest> marked;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!answers[i]) continue;
    marked.push_back({requests[i].problem, *answers[i]});
    places.push_back(i);
  }
  std::vector<Verdict> verdicts(requests.size());
  BatchOptions how = options;
  how.reading = format.reading;
  const std::vector<Verdict> scored = score_all(marked, how);
  for (std::size_t k = 0; k < places.size(); ++k) verdicts[places[k]] = scored[k];
  return verdicts;
}

Verdict score_completion(const Problem& problem, std::string_view completion,
                         const PromptFormat& format, std::size_t max_bytes) {
  const auto score = [&](std::string_view response) {
    const auto answer = find_answer(response, format, max_bytes);
    return answer ? score_answer(problem, *answer, format.reading) : Verdict{};
  };
  return is_begun_by(format) ? score(response_of(completion, format)) : score(completion);
}

}  // namespace redqueen
