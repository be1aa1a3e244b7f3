#include "redqueen/recipes/genenv/task_writer.h"

#include <set>

#include "redqueen/base/parallel.h"

namespace redqueen::genenv {

Tally TaskBatch::tally() const {
  Tally all;
  for (const Generation& generation : generations) all.add(generation.tally);
  return all;
}

TaskWriter::TaskWriter(const GenEnvSettings& genenv, const SampleParameters& sampling,
                       TaskPrompts prompts, PromptFormat format, const TaskBuilder& builder,
                       Policy& policy)
    : genenv_(genenv),
      sampling_(sampling),
      prompts_(std::move(prompts)),
      format_(std::move(format)),
      builder_(builder),
      policy_(policy) {
  sampling_.max_new_tokens = genenv.environment.max_new_tokens;
  sampling_.temperature = genenv.environment.temperature;
}

// A response whose prompt named a level is trained behind the prompt that does not, so there is one
// request without a level for every seed, even where its response is not needed.
Expected<TaskWriter::Asked> TaskWriter::ask(const std::vector<Task>& seeds, int variations,
                                            const MeasuredSuccess& success,
                                            const StepAddress& address, const std::string& purpose,
                                            std::vector<TaskBatch>& batches) const {
  Asked asked;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    TaskBatch& batch = batches.emplace_back();
    ASSIGN_OR_RETURN(const std::string text, prompts_.write(seeds[i], builder_, success));
    batch.prompt = format_.render(text);
    batch.generations.resize(static_cast<std::size_t>(variations));
    SampleRequest plain{batch.prompt, {}};
    std::vector<Place> places;
    std::vector<SampleRequest> hinted;
    std::vector<std::size_t> explored;
    for (std::size_t j = 0; j < batch.generations.size(); ++j) {
      Rng rng(address(purpose + "/explore", i, j));
      if (!rng.chance(genenv_.exploration)) {
        plain.addresses.push_back(address(purpose, i, j));
        places.push_back({i, j});
        continue;
      }
      batch.generations[j].explored = true;
      const int wanted =
          static_cast<int>(rng.integer(0, builder_.highest_level(*seeds[i].environment)));
      ASSIGN_OR_RETURN(const std::string told, prompts_.write(seeds[i], builder_, success, wanted));
      hinted.push_back({format_.render(told), {address(purpose, i, j)}});
      explored.push_back(j);
    }
    if (plain.addresses.empty()) plain.addresses.push_back(address(purpose + "/unused", i));
    asked.plain.push_back(asked.requests.size());
    asked.requests.push_back(std::move(plain));
    asked.places.push_back(std::move(places));
    for (std::size_t k = 0; k < hinted.size(); ++k) {
      asked.requests.push_back(std::move(hinted[k]));
      asked.places.push_back({{i, explored[k]}});
    }
  }
  return asked;
}

Expected<std::vector<TaskBatch>> TaskWriter::write(const std::vector<Task>& seeds, int variations,
                                                   const MeasuredSuccess& success,
                                                   const std::function<bool(std::uint64_t)>& known,
                                                   const StepAddress& address,
                                                   const std::string& purpose, int threads,
                                                   StepLog& log) const {
  std::vector<TaskBatch> batches;
  ASSIGN_OR_RETURN(const Asked asked, ask(seeds, variations, success, address, purpose, batches));
  ASSIGN_OR_RETURN(auto responses, policy_.sample(asked.requests, sampling_));
  log.count_missing(responses);
  for (std::size_t r = 0; r < responses.size(); ++r) {
    for (const Completion& completion : responses[r].completions) log.sampled(completion);
    const std::vector<Place>& places = asked.places[r];
    for (std::size_t k = 0; k < places.size(); ++k) {
      batches[places[k].batch].generations[places[k].generation].completion =
          std::move(responses[r].completions[k]);
    }
  }
  for (std::size_t i = 0; i < batches.size(); ++i)
    batches[i].prompt_tokens = std::move(responses[asked.plain[i]].prompt_tokens);
  judge(batches, known, address, purpose, threads);
  return batches;
}

void TaskWriter::judge(std::vector<TaskBatch>& batches,
                       const std::function<bool(std::uint64_t)>& known, const StepAddress& address,
                       const std::string& purpose, int threads) const {
  std::vector<Place> places;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t j = 0; j < batches[i].generations.size(); ++j) places.push_back({i, j});
  }
  // The salt counts the draws of one generation.
  const std::string problems = purpose + "/problem";
  parallel_chunks(places.size(), 1, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      Generation& generation = batches[places[p].batch].generations[places[p].generation];
      const auto description = read_description(
          generation.completion.text, static_cast<std::size_t>(genenv_.max_description_bytes));
      generation.task = description ? builder_.build(*description, address(problems, p), known)
                                    : tl::make_unexpected(description.error());
    }
  });
  if (!genenv_.refuse_known) return;
  std::set<std::uint64_t> fresh;
  for (const auto& [i, j] : places) {
    Judged<Task>& task = batches[i].generations[j].task;
    if (task && !fresh.insert(task->key).second) task = refuse(Refusal::kKnown, "in this step");
  }
}

}  // namespace redqueen::genenv
