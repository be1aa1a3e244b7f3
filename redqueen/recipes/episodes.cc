#include "redqueen/recipes/episodes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "redqueen/base/parallel.h"
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
  std::vector<Message> conversation = {};  // so far
  std::string text = {};                   // the same, as the policy has read and written it
  std::string next = {};                   // the text between the last turn and the next
  bool anew = false;                       // `next` is the whole conversation instead
};

// A turn of the policy as its episode has read and answered it.
struct PlayedTurn {
  Action action;
  Observation seen;
  std::optional<Verdict> verdict;  // if the episode ends here
};

// A template that opens every turn with a thought has the model write the rest of it.
Message whole_turn(std::string_view before, const std::string& text) {
  constexpr std::string_view kOpened = "<think>\n";
  return {.role = "assistant",
          .content = before.ends_with(kOpened) ? std::string(kOpened) + text : text};
}

// Puts tokens that the policy was given before everything that the rollout has.
void prepend_given(ScoredRollout& rollout, std::span<const Token> tokens) {
  if (tokens.empty()) return;
  Completion& completion = rollout.completion;
  if (completion.log_probs.size() == completion.tokens.size())
    completion.log_probs.insert(completion.log_probs.begin(), tokens.size(), 0.0F);
  completion.tokens.insert(completion.tokens.begin(), tokens.begin(), tokens.end());
  for (TokenRun& run : rollout.given) {
    run.begin += tokens.size();
    run.end += tokens.size();
  }
  rollout.given.insert(rollout.given.begin(), {0, tokens.size()});
}

class Rollouts {
 public:
  Rollouts(Policy& policy, std::span<const EpisodeRequest> requests,
           const EpisodeSettings& settings)
      : policy_(policy), requests_(requests), settings_(settings) {
    batch_.groups.resize(requests.size());
    batch_.rewritten.history = settings.rewritten_history;
  }

  Expected<EpisodeBatch> run() && {
    RETURN_IF_ERROR(first_turn());
    while (!live_.empty()) RETURN_IF_ERROR(next_turn());
    share_prompts();
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
        request.keep = most_turns(i) > 1;
        RETURN_IF_ERROR(open(i, request));
      }
      batch_.groups[i].prompt = request.prompt;
    }
    ASSIGN_OR_RETURN(auto responses, policy_.sample(asked, settings_.sampling));
    batch_.missing.count(responses);
    score_single_turns(responses);
    std::vector<Completion> drawn;
    for (const LiveEpisode& live : live_) {
      CompletionGroup& group = responses[live.group];
      batch_.groups[live.group].prompt_tokens = group.prompt_tokens;
      drawn.push_back(std::move(group.completions[live.rollout]));
    }
    std::vector<PlayedTurn> played = play_all(drawn);
    for (std::size_t k = 0; k < live_.size(); ++k)
      RETURN_IF_ERROR(take(live_[k], std::move(drawn[k]), std::move(played[k])));
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
    for (LiveEpisode& live : live_) {
      if (live.group == i) live.text = request.prompt;
    }
    return {};
  }

  // Problems that ask once are judged together.
  void score_single_turns(std::vector<CompletionGroup>& responses) {
    std::vector<AnsweredProblem> answered;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!asks_once(i)) continue;
      answered.push_back({requests_[i].problem, responses[i].completions});
      places.push_back(i);
    }
    const auto verdicts = score_answers(answered, settings_);
    for (std::size_t k = 0; k < places.size(); ++k) {
      CompletionGroup& response = responses[places[k]];
      EpisodeGroup& group = batch_.groups[places[k]];
      group.prompt_tokens = std::move(response.prompt_tokens);
      add_answers(group, std::move(response.completions), verdicts[k]);
    }
  }

  Status next_turn() {
    std::vector<SampleRequest> asked;
    asked.reserve(live_.size());
    for (const LiveEpisode& live : live_) asked.push_back(request_of(live));
    ASSIGN_OR_RETURN(auto responses, policy_.sample(asked, settings_.sampling));
    batch_.missing.count(responses);
    std::vector<Completion> drawn;
    drawn.reserve(responses.size());
    for (CompletionGroup& response : responses) drawn.push_back(std::move(response.completions[0]));
    std::vector<PlayedTurn> played = play_all(drawn);
    for (std::size_t k = 0; k < live_.size(); ++k) {
      if (!live_[k].anew) {
        give(live_[k], responses[k].prompt_tokens);
      } else if (!drawn[k].is_missing()) {
        begin_anew(live_[k], std::move(responses[k].prompt_tokens));
      }
      RETURN_IF_ERROR(take(live_[k], std::move(drawn[k]), std::move(played[k])));
    }
    drop_ended();
    return {};
  }

  // Takes the steps of all live episodes, several at a time: one may run a program, and a verdict
  // of the arena plays held-out cases. Nothing changes but the episodes.
  std::vector<PlayedTurn> play_all(std::span<const Completion> drawn) {
    std::vector<PlayedTurn> played(live_.size());
    parallel_chunks(live_.size(), 1, settings_.threads,
                    [&](std::size_t k, std::size_t) { played[k] = play(live_[k], drawn[k]); });
    return played;
  }

  PlayedTurn play(LiveEpisode& live, const Completion& completion) const {
    PlayedTurn turn;
    bool ends = completion.is_missing();
    if (!ends) {
      turn.action = read_action(completion, live.tools);
      turn.seen = live.episode->step(turn.action);
      ends = turn.seen.done() || completion.finish == FinishReason::kLength ||
             live.turn + 1 >= most_turns(live.group);
    }
    if (ends) turn.verdict = live.episode->verdict();
    return turn;
  }

  SampleRequest request_of(const LiveEpisode& live) const {
    SampleRequest request;
    request.addresses = {turn_address(requests_[live.group].addresses[live.rollout], live.turn)};
    request.kind = requests_[live.group].kind;
    // A conversation that was rewritten once is most likely rewritten again: nothing will continue
    // this turn.
    request.keep = !live.anew && live.turn + 1 < most_turns(live.group);
    if (policy_.lays_out_messages()) {
      request.messages = live.conversation;
      request.tools = live.tools;
      return request;
    }
    request.prompt = live.next;
    if (live.anew) return request;
    request.prompt_tokens = prompt_of(live.group, live.rollout);
    const auto& written = rollout_of(live).completion.tokens;
    request.prompt_tokens.insert(request.prompt_tokens.end(), written.begin(), written.end());
    return request;
  }

  // Marks what the policy read since its last turn: what its prompt has beyond the tokens so far.
  void give(LiveEpisode& live, std::span<const Token> prompt) {
    if (policy_.lays_out_messages()) return;
    ScoredRollout& rollout = rollout_of(live);
    const std::size_t known =
        prompt_of(live.group, live.rollout).size() + rollout.completion.tokens.size();
    append_given(rollout, prompt.subspan(std::min(known, prompt.size())), live.next);
  }

  // Drops the tokens drawn before: the prompt now holds them in another form.
  void begin_anew(LiveEpisode& live, std::vector<Token> prompt) {
    drop_tokens(rollout_of(live));
    own_prompts_[{live.group, live.rollout}] = std::move(prompt);
    ++batch_.rewritten.turns;
  }

  // Takes from a rollout what it would be trained on; its text and verdict stay.
  void drop_tokens(ScoredRollout& rollout) {
    batch_.rewritten.tokens += static_cast<std::int64_t>(drawn_tokens(rollout));
    rollout.completion.tokens.clear();
    rollout.completion.log_probs.clear();
    rollout.given.clear();
  }

  // Returns the prompt of a rollout.
  const std::vector<Token>& prompt_of(std::size_t group, std::size_t rollout) const {
    const auto own = own_prompts_.find({group, rollout});
    return own == own_prompts_.end() ? batch_.groups[group].prompt_tokens : own->second;
  }

  // Gives the rollouts of every group one prompt, which training needs.
  void share_prompts() {
    std::set<std::size_t> groups;
    for (const auto& [place, own] : own_prompts_) groups.insert(place.first);
    for (const std::size_t group : groups) share_prompt(group);
  }

  // Shortens the group's prompt to what the prompts of the rollouts begin with alike; what a
  // rollout read beyond it becomes part of the rollout, as given.
  void share_prompt(std::size_t group) {
    const std::vector<std::size_t> trained = begin_alike(group);
    if (trained.empty()) return;
    std::span<const Token> shared = prompt_of(group, trained.front());
    for (const std::size_t rollout : trained) {
      const auto different = std::ranges::mismatch(shared, prompt_of(group, rollout)).in1;
      shared = shared.first(static_cast<std::size_t>(different - shared.begin()));
    }
    EpisodeGroup& played = batch_.groups[group];
    for (const std::size_t rollout : trained) {
      const std::span<const Token> read = prompt_of(group, rollout);
      prepend_given(played.rollouts[rollout], read.subspan(shared.size()));
    }
    played.prompt_tokens = std::vector<Token>(shared.begin(), shared.end());
  }

  // Returns the most rollouts with tokens whose prompts begin with the same token; takes its tokens
  // from every other one.
  std::vector<std::size_t> begin_alike(std::size_t group) {
    std::vector<std::vector<std::size_t>> alike;  // by first token, in the order of the rollouts
    const auto first_token = [&](std::size_t rollout) {
      const std::vector<Token>& read = prompt_of(group, rollout);
      return read.empty() ? std::nullopt : std::optional(read.front());
    };
    std::vector<ScoredRollout>& rollouts = batch_.groups[group].rollouts;
    for (std::size_t j = 0; j < rollouts.size(); ++j) {
      if (rollouts[j].completion.tokens.empty()) continue;
      const auto same = std::ranges::find_if(
          alike, [&](const auto& others) { return first_token(others.front()) == first_token(j); });
      (same == alike.end() ? alike.emplace_back() : *same).push_back(j);
    }
    if (alike.empty()) return {};
    const auto most = std::ranges::max_element(alike, {}, &std::vector<std::size_t>::size);
    for (auto others = alike.begin(); others != alike.end(); ++others) {
      if (others == most) continue;
      for (const std::size_t j : *others) drop_tokens(rollouts[j]);
      batch_.rewritten.left_out += std::ssize(*others);
    }
    return std::move(*most);
  }

  // Takes down the policy's turn, and what the environment answered.
  Status take(LiveEpisode& live, Completion completion, PlayedTurn turn) {
    ScoredRollout& rollout = rollout_of(live);
    if (completion.is_missing() && live.turn == 0) {
      rollout.completion = std::move(completion);
      end(live, *turn.verdict);
      return {};
    }
    if (!completion.is_missing()) {
      append_drawn(rollout, completion);
      note_turn(live, completion, turn.seen);
      ++live.turn;
      if (!turn.verdict) return go_on(live, completion.text, turn.action, std::move(turn.seen));
    }
    if (!turn.seen.terminated) {
      rollout.completion.finish = FinishReason::kLength;
      ++batch_.cut;
    }
    end(live, *turn.verdict);
    return {};
  }

  Status go_on(LiveEpisode& live, const std::string& said, const Action& action, Observation seen) {
    const bool other_tools = !seen.tools.empty() && seen.tools != live.tools;
    if (!seen.tools.empty()) live.tools = std::move(seen.tools);
    if (policy_.lays_out_messages()) {
      live.conversation.push_back({"assistant", action.text, action.tool_calls, ""});
      std::ranges::move(seen.messages, std::back_inserter(live.conversation));
      return {};
    }
    live.conversation.push_back(whole_turn(live.text, said));
    std::ranges::copy(seen.messages, std::back_inserter(live.conversation));
    live.text += said;
    ASSIGN_OR_RETURN(const ChatLayout* layout, layout_for(live.tools));
    return lay_out_next(live, *layout, seen.messages, other_tools);
  }

  // Lays out the policy's next turn: the text that the template appends, or the conversation anew.
  Status lay_out_next(LiveEpisode& live, const ChatLayout& layout,
                      std::span<const Message> messages, bool other_tools) {
    live.anew = false;
    auto appended = layout.between(messages);
    const std::string& why = layout.rewrites_history(reply_kind(messages));
    if (other_tools || !why.empty()) {
      ASSIGN_OR_RETURN(std::string whole, layout.opening(live.conversation));
      if (!appended || live.text + *appended != whole) {
        if (batch_.rewritten.why.empty())
          batch_.rewritten.why = why.empty() ? "there are other tools than before" : why;
        if (other_tools || settings_.rewritten_history == RewrittenHistory::kAnew) {
          read_anew(live, std::move(whole), messages);
          return {};
        }
        ++batch_.rewritten.turns;
      }
    }
    if (!appended) return tl::make_unexpected(appended.error());
    live.text += *appended;
    live.next = std::move(*appended);
    return {};
  }

  void read_anew(LiveEpisode& live, std::string whole, std::span<const Message> messages) {
    for (const Message& message : messages)
      rollout_of(live).completion.text += "\n" + message.content + "\n";
    live.anew = true;
    live.text = whole;
    live.next = std::move(whole);
  }

  void end(LiveEpisode& live, const Verdict& verdict) {
    ScoredRollout& rollout = rollout_of(live);
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

  int most_turns(std::size_t group) const {
    const int most = requests_[group].problem->max_turns();
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
  // By group and rollout, of those with a turn that was computed anew: what it read.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Token>> own_prompts_;
  std::vector<std::pair<std::vector<ToolSpec>, std::unique_ptr<ChatLayout>>> layouts_;
};

}  // namespace

std::string kind_of(const ProblemAddress& address) {
  return fmt::format("{}@{}", address.environment, address.level);
}

std::vector<std::vector<Verdict>> score_answers(std::span<const AnsweredProblem> answered,
                                                const EpisodeSettings& settings) {
  std::vector<CompletionRequest> requests;
  for (const auto& [problem, responses] : answered) {
    for (const Completion& response : responses) requests.push_back({problem, response.text});
  }
  const auto verdicts = score_completions(requests, settings.format, settings.max_response_bytes);
  std::vector<std::vector<Verdict>> by_problem;
  by_problem.reserve(answered.size());
  auto next = verdicts.begin();
  for (const auto& [problem, responses] : answered) {
    by_problem.emplace_back(next, next + std::ssize(responses));
    next += std::ssize(responses);
  }
  return by_problem;
}

void add_answers(EpisodeGroup& group, std::vector<Completion> responses,
                 std::span<const Verdict> verdicts) {
  for (std::size_t j = 0; j < responses.size(); ++j) {
    const auto& [reward, solved, well_formed] = verdicts[j];
    group.rollouts.push_back({std::move(responses[j]), reward, solved, well_formed});
  }
  group.turns.resize(group.rollouts.size());
}

RandomAddress turn_address(const RandomAddress& first, int turn) {
  RandomAddress address = first;
  // Distinct purposes for any number of turns; the first turn keeps its address.
  address.purpose += 0x9E3779B97F4A7C15ULL * turn;
  return address;
}

Expected<EpisodeBatch> rollout_episodes(Policy& policy, std::span<const EpisodeRequest> requests,
                                        const EpisodeSettings& settings) {
  auto played = Rollouts(policy, requests, settings).run();
  policy.drop_kept();  // of episodes that ended, or that an error cut off
  return played;
}

}  // namespace redqueen
