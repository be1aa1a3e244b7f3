#include "redqueen/recipes/episodes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "redqueen/core/batch.h"
#include "redqueen/core/episode.h"
#include "redqueen/text/chat_layout.h"

namespace redqueen {
namespace {

// An episode of several turns that goes on.
struct LiveEpisode {
  std::size_t group = 0;
  std::size_t rollout = 0;
  std::unique_ptr<Episode> episode;
  int turn = 0;
  std::vector<ToolSpec> tools = {};
  std::vector<Message> conversation = {};  // so far, for policies that lay it out themselves
  std::string next = {};                   // the text between the last turn and the next
};

class Rollouts {
 public:
  Rollouts(Policy& policy, std::span<const EpisodeRequest> requests,
           const EpisodeSettings& settings)
      : policy_(policy), requests_(requests), settings_(settings) {
    batch_.groups.resize(requests.size());
  }

  Expected<EpisodeBatch> run() && {
    RETURN_IF_ERROR(first_turn());
    while (!live_.empty()) RETURN_IF_ERROR(next_turn());
    return std::move(batch_);
  }

 private:
  bool asks_once(std::size_t i) const { return requests_[i].problem->max_turns() == 1; }

  Status first_turn() {
    std::vector<SampleRequest> asked;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      SampleRequest& request = asked.emplace_back();
      request.addresses = requests_[i].addresses;
      request.kind = requests_[i].kind;
      if (asks_once(i)) {
        request.prompt = settings_.format.render(requests_[i].problem->prompt());
      } else {
        RETURN_IF_ERROR(open(i, request));
      }
      batch_.groups[i].prompt = request.prompt;
    }
    ASSIGN_OR_RETURN(auto responses, policy_.sample(asked, settings_.sampling));
    batch_.missing.count(responses);
    score_answers(responses);
    for (LiveEpisode& live : live_) {
      CompletionGroup& group = responses[live.group];
      batch_.groups[live.group].prompt_tokens = group.prompt_tokens;
      RETURN_IF_ERROR(take(live, std::move(group.completions[live.rollout])));
    }
    drop_ended();
    return {};
  }

  // Starts the episodes of a problem of several turns. All begin alike.
  Status open(std::size_t i, SampleRequest& request) {
    EpisodeGroup& group = batch_.groups[i];
    group.rollouts.resize(requests_[i].addresses.size());
    group.turns.assign(requests_[i].addresses.size(), Json::array());
    for (std::size_t j = 0; j < requests_[i].addresses.size(); ++j) {
      LiveEpisode live{
          .group = i,
          .rollout = j,
          .episode = requests_[i].problem->start({settings_.format, settings_.max_response_bytes})};
      Observation seen = live.episode->begin();
      live.tools = std::move(seen.tools);
      live.conversation = std::move(seen.messages);
      live_.push_back(std::move(live));
    }
    if (requests_[i].addresses.empty()) return {};
    const LiveEpisode& first = live_.back();
    if (policy_.lays_out_messages()) {
      request.messages = first.conversation;
      request.tools = first.tools;
      return {};
    }
    ASSIGN_OR_RETURN(const ChatLayout* layout, layout_for(first.tools));
    ASSIGN_OR_RETURN(request.prompt, layout->opening(first.conversation));
    return {};
  }

  // Problems that ask once are judged together.
  void score_answers(std::vector<CompletionGroup>& responses) {
    std::vector<CompletionRequest> answers;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!asks_once(i)) continue;
      for (const Completion& completion : responses[i].completions)
        answers.push_back({requests_[i].problem, completion.text});
    }
    const auto verdicts =
        score_completions(answers, settings_.format, settings_.max_response_bytes);
    auto verdict = verdicts.begin();
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!asks_once(i)) continue;
      EpisodeGroup& group = batch_.groups[i];
      group.prompt_tokens = std::move(responses[i].prompt_tokens);
      group.turns.resize(responses[i].completions.size());
      for (Completion& completion : responses[i].completions) {
        const auto& [reward, solved, well_formed] = *verdict++;
        group.rollouts.push_back({std::move(completion), reward, solved, well_formed});
      }
    }
  }

  Status next_turn() {
    std::vector<SampleRequest> asked;
    for (const LiveEpisode& live : live_) asked.push_back(request_of(live));
    ASSIGN_OR_RETURN(auto responses, policy_.sample(asked, settings_.sampling));
    batch_.missing.count(responses);
    for (std::size_t k = 0; k < live_.size(); ++k) {
      CompletionGroup& response = responses[k];
      give(live_[k], response.prompt_tokens);
      RETURN_IF_ERROR(take(live_[k], std::move(response.completions[0])));
    }
    drop_ended();
    return {};
  }

  SampleRequest request_of(const LiveEpisode& live) const {
    SampleRequest request;
    request.addresses = {turn_address(requests_[live.group].addresses[live.rollout], live.turn)};
    request.kind = requests_[live.group].kind;
    if (policy_.lays_out_messages()) {
      request.messages = live.conversation;
      request.tools = live.tools;
      return request;
    }
    request.prompt = live.next;
    request.prompt_tokens = batch_.groups[live.group].prompt_tokens;
    const auto& written = rollout_of(live).completion.tokens;
    request.prompt_tokens.insert(request.prompt_tokens.end(), written.begin(), written.end());
    return request;
  }

  // Marks what the policy read since its last turn: what its prompt has beyond the tokens so far.
  void give(LiveEpisode& live, std::span<const Token> prompt) {
    if (policy_.lays_out_messages()) return;
    ScoredRollout& rollout = rollout_of(live);
    const std::size_t known =
        batch_.groups[live.group].prompt_tokens.size() + rollout.completion.tokens.size();
    append_given(rollout, prompt.subspan(std::min(known, prompt.size())), live.next);
  }

  // Takes the policy's turn, and what the environment answers.
  Status take(LiveEpisode& live, Completion completion) {
    ScoredRollout& rollout = rollout_of(live);
    if (completion.is_missing()) {
      if (live.turn == 0) {
        rollout.completion = std::move(completion);
      } else {
        rollout.completion.finish = FinishReason::kLength;
        ++batch_.cut;
      }
      end(live);
      return {};
    }
    append_drawn(rollout, completion);
    const Action action = read_action(completion, live.tools);
    Observation seen = live.episode->step(action);
    note_turn(live, completion, seen);
    ++live.turn;
    const bool at_limit = seen.truncated || completion.finish == FinishReason::kLength ||
                          live.turn >= most_turns(live);
    if (!seen.terminated && !at_limit) return go_on(live, action, std::move(seen));
    if (!seen.terminated) {
      rollout.completion.finish = FinishReason::kLength;
      ++batch_.cut;
    }
    end(live);
    return {};
  }

  Status go_on(LiveEpisode& live, const Action& action, Observation seen) {
    if (policy_.lays_out_messages()) {
      live.conversation.push_back({"assistant", action.text, action.tool_calls, ""});
      std::ranges::move(seen.messages, std::back_inserter(live.conversation));
      if (!seen.tools.empty()) live.tools = std::move(seen.tools);
      return {};
    }
    ASSIGN_OR_RETURN(const ChatLayout* layout, layout_for(live.tools));
    ASSIGN_OR_RETURN(live.next, layout->between(seen.messages));
    return {};
  }

  void end(LiveEpisode& live) {
    ScoredRollout& rollout = rollout_of(live);
    const Verdict verdict = live.episode->verdict();
    rollout.reward = verdict.reward;
    rollout.solved = verdict.solved;
    rollout.well_formed = verdict.well_formed;
    live.episode.reset();
  }

  void note_turn(const LiveEpisode& live, const Completion& completion, const Observation& seen) {
    Json& turns = batch_.groups[live.group].turns[live.rollout];
    turns.push_back({{"role", "assistant"},
                     {"text", completion.text},
                     {"tokens", completion.tokens.size()},
                     {"reward", seen.reward}});
    for (const Message& message : seen.messages)
      turns.push_back({{"role", message.role}, {"text", message.content}});
  }

  int most_turns(const LiveEpisode& live) const {
    const int most = requests_[live.group].problem->max_turns();
    return settings_.max_turns > 0 ? std::min(settings_.max_turns, most) : most;
  }

  ScoredRollout& rollout_of(const LiveEpisode& live) {
    return batch_.groups[live.group].rollouts[live.rollout];
  }
  const ScoredRollout& rollout_of(const LiveEpisode& live) const {
    return batch_.groups[live.group].rollouts[live.rollout];
  }

  void drop_ended() {
    std::erase_if(live_, [](const LiveEpisode& live) { return live.episode == nullptr; });
  }

  // Layouts are made once for each set of tools.
  Expected<const ChatLayout*> layout_for(const std::vector<ToolSpec>& tools) {
    for (const auto& [known, layout] : layouts_) {
      if (known == tools) return layout.get();
    }
    ASSIGN_OR_RETURN(ChatLayout layout, policy_.chat_layout(tools));
    layouts_.emplace_back(tools, std::make_unique<ChatLayout>(std::move(layout)));
    return layouts_.back().second.get();
  }

  Policy& policy_;
  std::span<const EpisodeRequest> requests_;
  const EpisodeSettings& settings_;
  EpisodeBatch batch_;
  std::vector<LiveEpisode> live_;
  std::vector<std::pair<std::vector<ToolSpec>, std::unique_ptr<ChatLayout>>> layouts_;
};

}  // namespace

std::string kind_of(const ProblemAddress& address) {
  return fmt::format("{}@{}", address.environment, address.level);
}

RandomAddress turn_address(const RandomAddress& first, int turn) {
  RandomAddress address = first;
  // Distinct purposes for any number of turns; the first turn keeps its address.
  address.purpose += 0x9E3779B97F4A7C15ULL * turn;
  return address;
}

Expected<EpisodeBatch> rollout_episodes(Policy& policy, std::span<const EpisodeRequest> requests,
                                        const EpisodeSettings& settings) {
  return Rollouts(policy, requests, settings).run();
}

}  // namespace redqueen
