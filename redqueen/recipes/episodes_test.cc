#include "redqueen/recipes/episodes.h"
#include "redqueen/core/turns_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "redqueen/base/testing/folder.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/model/testing/tiny_models.h"
#include "redqueen/model/transformer.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/suites/testing/echo.h"
#include "redqueen/text/testing/chat_folders.h"

namespace redqueen {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const NativeEnvironment<HiddenNumber> kHiddenNumber;

ProblemPtr problem_of(const Environment& environment, int level, std::size_t seed) {
  return environment.generate(level, seed).value();
}

std::vector<RandomAddress> addresses(std::size_t index, std::size_t count) {
  std::vector<RandomAddress> all;
  for (std::size_t j = 0; j < count; ++j) all.push_back({.seed = 5, .index = index, .salt = j});
  return all;
}

// Finds hidden numbers by halving the range that it reads off the conversation. Its tokens are
// bytes.
class Seeker final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    ++calls;
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup& group = groups.emplace_back();
      group.prompt_tokens = request.prompt_tokens;
      for (const char c : request.prompt)
        group.prompt_tokens.push_back(static_cast<unsigned char>(c));
      for (const RandomAddress& address : request.addresses) {
        EXPECT_TRUE(asked.insert({address.purpose, address.index, address.salt}).second)
            << "an address is used twice";
        group.completions.push_back(answer(text_of(group.prompt_tokens)));
      }
    }
    return groups;
  }
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool) const override {
    return ChatLayout::make(*chat_, tools);
  }
  std::string_view name() const override { return "seeker"; }

  static std::string text_of(std::span<const Token> tokens) {
    return {tokens.begin(), tokens.end()};
  }

  int calls = 0;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> asked;

 private:
  static Completion answer(const std::string& conversation) {
    std::int64_t low = 1;
    std::int64_t high = std::atoll(conversation.c_str() + conversation.find("from 1 to ") + 10);
    for (std::size_t at = conversation.find("I say "); at != std::string::npos;
         at = conversation.find("I say ", at + 1)) {
      const std::int64_t said = std::atoll(conversation.c_str() + at + 6);
      const std::size_t higher = conversation.find("higher", at);
      const std::size_t lower = conversation.find("lower", at);
      if (higher < lower) {
        low = said + 1;
      } else {
        high = said - 1;
      }
    }
    const std::int64_t guess = low + (high - low) / 2;
    Completion completion{.text = fmt::format("I say {}", guess)};
    for (const char c : completion.text) completion.tokens.push_back(c);
    completion.log_probs.assign(completion.tokens.size(), -1.0F);
    completion.tool_calls = HiddenNumber::guess(guess).tool_calls;
    return completion;
  }

  TestFolder folder_;
  Expected<ChatTemplate> chat_ = make_chat_folder(folder_ / "chat", "turns", true).chat_template();
};

struct Played {
  std::vector<ProblemPtr> problems;
  std::vector<EpisodeRequest> requests;
};

Played hidden_numbers(int count, std::size_t rollouts) {
  Played played;
  for (int i = 0; i < count; ++i) {
    played.problems.push_back(problem_of(kHiddenNumber, i % 4, static_cast<std::size_t>(i)));
    played.requests.push_back(
        {played.problems.back().get(), addresses(static_cast<std::size_t>(i), rollouts)});
  }
  return played;
}

// A problem that asks once is sampled and scored as if there were no episodes.
TEST(Episodes, OfOneTurnAreASampleAndItsVerdict) {
  const PromptFormat format = PromptFormat::parse("terse").value();
  std::vector<ProblemPtr> problems;
  std::vector<EpisodeRequest> requests;
  std::vector<SampleRequest> plain;
  for (std::size_t i = 0; i < 6; ++i) {
    problems.push_back(problem_of(kEcho, static_cast<int>(i % 3), i));
    requests.push_back({problems.back().get(), addresses(i, 3)});
    plain.push_back({format.render(problems.back()->prompt()), addresses(i, 3)});
  }
  EchoPolicy policy(2, 2);
  EchoPolicy same(2, 2);
  const auto batch = rollout_episodes(policy, requests, {.format = format});
  ASSERT_TRUE(batch) << batch.error().message;
  const auto groups = same.sample(plain, {}).value();
  EXPECT_EQ(policy.prompts, same.prompts);
  EXPECT_EQ(batch->cut, 0);
  int solved = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const EpisodeGroup& group = batch->groups[i];
    EXPECT_EQ(group.prompt, plain[i].prompt);
    EXPECT_EQ(group.prompt_tokens, groups[i].prompt_tokens);
    ASSERT_EQ(group.rollouts.size(), 3U);
    for (std::size_t j = 0; j < 3; ++j) {
      const std::string& text = groups[i].completions[j].text;
      const Verdict verdict = score_completion(*problems[i], text, format);
      EXPECT_EQ(group.rollouts[j].completion.text, text);
      EXPECT_EQ(group.rollouts[j].reward, verdict.reward);
      EXPECT_EQ(group.rollouts[j].solved, verdict.solved);
      EXPECT_TRUE(group.rollouts[j].given.empty());
      EXPECT_TRUE(group.turns[j].is_null());
      solved += verdict.solved;
    }
  }
  EXPECT_GT(solved, 0);
  EXPECT_LT(solved, 18);
}

TEST(Episodes, OfSeveralTurnsGoOnInLockstep) {
  Seeker policy;
  const Played played = hidden_numbers(8, 2);
  int longest = 0;
  const auto batch = rollout_episodes(policy, played.requests, {});
  ASSERT_TRUE(batch) << batch.error().message;
  for (std::size_t i = 0; i < played.problems.size(); ++i) {
    const EpisodeGroup& group = batch->groups[i];
    for (std::size_t j = 0; j < group.rollouts.size(); ++j) {
      const ScoredRollout& rollout = group.rollouts[j];
      EXPECT_TRUE(rollout.solved) << rollout.completion.text;
      EXPECT_EQ(rollout.reward, 1.0);
      ASSERT_TRUE(check_given(rollout.given, rollout.completion.tokens.size()));
      // What was drawn is what the policy said, turn by turn; the rest was given.
      std::vector<std::string> said;
      for (const Json& turn : group.turns[j]) {
        if (turn["role"] == "assistant") said.push_back(turn["text"]);
      }
      const auto runs = drawn_runs(rollout);
      ASSERT_EQ(runs.size(), said.size());
      const std::span<const Token> tokens(rollout.completion.tokens);
      for (std::size_t k = 0; k < runs.size(); ++k) {
        EXPECT_EQ(Seeker::text_of(tokens.subspan(runs[k].begin, runs[k].end - runs[k].begin)),
                  said[k]);
        for (std::size_t t = runs[k].begin; t < runs[k].end; ++t)
          EXPECT_EQ(rollout.completion.log_probs[t], -1.0F);
      }
      for (const TokenRun& run : rollout.given) {
        const std::string given = Seeker::text_of(tokens.subspan(run.begin, run.end - run.begin));
        EXPECT_THAT(given, testing::AnyOf(HasSubstr("higher"), HasSubstr("lower")));
        EXPECT_EQ(rollout.completion.log_probs[run.begin], 0.0F);
      }
      EXPECT_EQ(Seeker::text_of(tokens), rollout.completion.text);
      longest = std::max(longest, static_cast<int>(said.size()));
    }
  }
  EXPECT_EQ(batch->cut, 0);
  EXPECT_GT(longest, 2) << "the test needs conversations";
  EXPECT_EQ(policy.calls, longest) << "one call a turn for all episodes";
}

TEST(Episodes, AreJudgedByWhatTheyDidWhenALimitEndsThem) {
  Seeker policy;
  const Played played = hidden_numbers(8, 1);
  const auto batch = rollout_episodes(policy, played.requests, {.max_turns = 1});
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(policy.calls, 1);
  int cut = 0;
  for (const EpisodeGroup& group : batch->groups) {
    const ScoredRollout& rollout = group.rollouts[0];
    EXPECT_EQ(rollout.reward, rollout.solved ? 1.0 : 0.0);
    EXPECT_TRUE(rollout.well_formed);
    EXPECT_EQ(rollout.completion.finish == FinishReason::kLength, !rollout.solved);
    cut += !rollout.solved;
  }
  EXPECT_GT(cut, 0);
  EXPECT_EQ(batch->cut, cut);
}

// A policy of this process, and what it has kept whenever it is asked.
class Observed final : public Policy {
 public:
  Observed(const std::filesystem::path& folder, const std::string& chat, bool keeps)
      : keeps_(keeps) {
    ModelConfig config = small_config();
    config.max_position_embeddings = 4096;
    policy_ = EmbeddedPolicy::make(Transformer::initialise(config, 3),
                                   make_chat_folder(folder, chat, true), "observed")
                  .value();
  }

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    kept_before.push_back(policy_->kept_bytes());
    std::vector<SampleRequest> asked(requests.begin(), requests.end());
    keeping.push_back(0);
    for (SampleRequest& request : asked) {
      keeping.back() += request.keep ? 1 : 0;
      request.keep = request.keep && keeps_;
    }
    return policy_->sample(asked, parameters);
  }
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool thinking) const override {
    return policy_->chat_layout(tools, thinking);
  }
  void drop_kept() override { policy_->drop_kept(); }
  std::string_view name() const override { return policy_->name(); }
  std::int64_t kept_bytes() const { return policy_->kept_bytes(); }

  std::vector<std::int64_t> kept_before;  // by call
  std::vector<int> keeping;               // requests that asked to be kept, by call

 private:
  std::unique_ptr<EmbeddedPolicy> policy_;
  bool keeps_;
};

// Turns of a few random bytes, which end of themselves.
SampleParameters short_turns() {
  SampleParameters parameters{.max_new_tokens = 100};
  for (char c = ' '; c <= '~'; ++c) parameters.stop.emplace_back(1, c);
  return parameters;
}

TEST(Episodes, GoOnFromKeptKeysAndValues) {
  const TestFolder folder;
  Observed keeping(folder / "keeping", "turns", true);
  Observed plain(folder / "plain", "turns", false);
  const Played played = hidden_numbers(2, 2);
  const EpisodeSettings settings{.sampling = short_turns()};
  const auto with = rollout_episodes(keeping, played.requests, settings);
  const auto without = rollout_episodes(plain, played.requests, settings);
  ASSERT_TRUE(with) << with.error().message;
  ASSERT_TRUE(without) << without.error().message;
  for (std::size_t i = 0; i < with->groups.size(); ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(with->groups[i].rollouts[j].completion.tokens,
                without->groups[i].rollouts[j].completion.tokens);
    }
  }
  const std::size_t turns = keeping.keeping.size();
  ASSERT_GT(turns, 3U) << "the test needs conversations";
  for (std::size_t turn = 1; turn < turns; ++turn)
    EXPECT_GT(keeping.kept_before[turn], 0) << "before turn " << turn;
  EXPECT_GT(keeping.keeping.front(), 0);
  EXPECT_EQ(keeping.keeping.back(), 0) << "nothing goes on from the last turn that may come";
  EXPECT_EQ(keeping.kept_bytes(), 0) << "given back at the end";
  EXPECT_EQ(plain.kept_before, std::vector<std::int64_t>(turns, 0));
}

Message nothing_happens() { return {.role = "user", .content = "Nothing happens."}; }

// A door that has to be opened before it can be entered: its tools change with the episode.
struct Door {
  static constexpr Card card{.name = "Door",
                             .family = Family::kWorlds,
                             .answer = AnswerKind::kTurns,
                             .scoring = Scoring::kExact,
                             .task = "Open a door, then enter.",
                             .levels = "There is one.",
                             .rewards = "0 outside, 1 inside.",
                             .max_level = 0};
  struct Config {
    int turns = 4;
    REDQUEEN_FIELDS(turns)
  };
  struct Problem {
    int turns = 0;
    REDQUEEN_FIELDS(turns)
  };
  struct State {
    bool open = false;
    bool inside = false;
    REDQUEEN_FIELDS(open, inside)
  };
  struct How {
    bool softly = false;
    REDQUEEN_FIELDS(softly)
  };

  static Config at_level(int, Rng&) { return {}; }
  static Problem generate(const Config& config, Rng&) { return {config.turns}; }
  static Status check(const Problem&) { return {}; }
  static std::string prompt(const Problem&) { return "There is a door."; }
  static std::vector<ToolSpec> tools(const Problem&) {
    return {tool<How>("open", "Opens the door.", {{"softly", "without a noise"}})};
  }
  static int max_turns(const Problem& problem) { return problem.turns; }
  static State begin(const Problem&) { return {}; }

  static Observation step(const Problem&, State& state, const Action& action) {
    Observation seen;
    const std::string did = action.tool_calls.empty() ? "" : action.tool_calls[0].name;
    if (did == "open" && !state.open) {
      state.open = true;
      seen.tools = {tool<How>("enter", "Goes through the door.", {{"softly", "on tiptoe"}})};
      seen.messages.push_back(tool_message(action.tool_calls[0], "It opens."));
      return seen;
    }
    state.inside = state.open && did == "enter";
    seen.terminated = state.inside;
    seen.messages.push_back(nothing_happens());
    return seen;
  }

  static Verdict verdict(const Problem&, const State& state) {
    return verdict_of(exact_reward(state.inside));
  }
  static std::vector<Action> solve_turns(const Problem&) { return {call("open"), call("enter")}; }
  static std::vector<Action> random_turns(const Problem&, Rng&) { return {call("enter")}; }
  static Action call(const std::string& name) {
    return {.tool_calls = {{.name = name, .arguments = to_json(How{})}}};
  }
};

const NativeEnvironment<Door> kDoor;

// Calls the tool that its layout was last asked for, in a form that counts only for a tool that is
// offered; or only looks around. Every second rollout thinks first. Its tokens are bytes.
class Visitor final : public Policy {
 public:
  Visitor(const char* chat, bool calls)
      : chat_(make_chat_folder(folder_ / "chat", chat, true).chat_template()), calls_(calls) {}
  // Looks around. The first turn of the rollouts of `cut` ends at the limit of tokens.
  Visitor(Expected<ChatTemplate> chat, std::set<std::uint64_t> cut)
      : chat_(std::move(chat)), calls_(false), cut_(std::move(cut)) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup& group = groups.emplace_back();
      group.prompt_tokens = request.prompt_tokens;
      for (const char c : request.prompt)
        group.prompt_tokens.push_back(static_cast<unsigned char>(c));
      for (const RandomAddress& address : request.addresses) {
        read[address.salt].emplace_back(group.prompt_tokens.begin(), group.prompt_tokens.end());
        Completion& completion = group.completions.emplace_back();
        completion.text = said(address.salt);
        for (const char c : completion.text) completion.tokens.push_back(c);
        completion.log_probs.assign(completion.tokens.size(), -1.0F);
        if (cut_.contains(address.salt)) completion.finish = FinishReason::kLength;
      }
    }
    return groups;
  }
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool) const override {
    tool_ = tools.empty() ? "" : tools[0].name;
    return ChatLayout::make(*chat_, tools);
  }
  std::string_view name() const override { return "visitor"; }

  std::string said(std::uint64_t rollout) const {
    const std::string does =
        calls_ ? fmt::format(R"({{"name": "{}", "parameters": {{"softly": true}}}})", tool_)
               : fmt::format("By way {}: I look around.", rollout);
    return (rollout % 2 == 0 ? "<think>\nA door?\n</think>\n\n" : "") + does;
  }

  std::map<std::uint64_t, std::vector<std::string>> read;  // by rollout, before each turn

 private:
  TestFolder folder_;
  Expected<ChatTemplate> chat_;
  bool calls_;
  std::set<std::uint64_t> cut_;
  mutable std::string tool_;
};

// What the trainer is given of a rollout: prompt and rollout, with the policy's part in brackets.
std::string trained(const EpisodeGroup& group, const ScoredRollout& rollout) {
  const std::vector<Token>& tokens = rollout.completion.tokens;
  EXPECT_EQ(rollout.completion.log_probs.size(), tokens.size());
  EXPECT_TRUE(check_given(rollout.given, tokens.size()));
  std::string text(group.prompt_tokens.begin(), group.prompt_tokens.end());
  std::size_t end = 0;
  for (const auto& [begin, next] : drawn_runs(rollout)) {
    text.append(tokens.begin() + end, tokens.begin() + begin);
    text += "[" + std::string(tokens.begin() + begin, tokens.begin() + next) + "]";
    for (std::size_t i = end; i < next; ++i)
      EXPECT_EQ(rollout.completion.log_probs[i], i < begin ? 0.0F : -1.0F) << i;
    end = next;
  }
  return text;
}

// A place where everybody waits until two are there.
class MeetingPlace {
 public:
  void clear() {
    const std::scoped_lock lock(mutex_);
    here_ = 0;
  }
  // Whether the other one came.
  bool wait_for_both() {
    std::unique_lock lock(mutex_);
    ++here_;
    came_.notify_all();
    return came_.wait_for(lock, std::chrono::seconds(10), [this] { return here_ >= 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  int here_ = 0;
};

// Two who meet when they take a step, and again when they are judged.
struct Meeting {
  static constexpr Card card{.name = "Meeting",
                             .family = Family::kWorlds,
                             .answer = AnswerKind::kTurns,
                             .scoring = Scoring::kExact,
                             .task = "Meet another one.",
                             .levels = "There is one.",
                             .rewards = "0 alone, 1 in company.",
                             .max_level = 0};
  struct Config {
    int turns = 2;
    REDQUEEN_FIELDS(turns)
  };
  struct Problem {
    int turns = 0;
    REDQUEEN_FIELDS(turns)
  };
  struct State {
    bool met = false;
    REDQUEEN_FIELDS(met)
  };

  static inline std::array<MeetingPlace, 2> places;

  static Config at_level(int, Rng&) { return {}; }
  static Problem generate(const Config& config, Rng&) { return {config.turns}; }
  static Status check(const Problem&) { return {}; }
  static std::string prompt(const Problem&) { return "Is somebody there?"; }
  static int max_turns(const Problem& problem) { return problem.turns; }
  static State begin(const Problem&) { return {}; }
  static Observation step(const Problem&, State& state, const Action&) {
    state.met = places[0].wait_for_both();
    Observation seen;
    seen.messages.push_back(nothing_happens());
    return seen;
  }
  static Verdict verdict(const Problem&, const State& state) {
    return verdict_of(exact_reward(state.met && places[1].wait_for_both()));
  }
  static std::vector<Action> solve_turns(const Problem&) { return {Action{}}; }
  static std::vector<Action> random_turns(const Problem&, Rng&) { return {Action{}}; }
};

const NativeEnvironment<Meeting> kMeeting;

TEST(Episodes, TakeTheirStepsSideBySide) {
  for (MeetingPlace& place : Meeting::places) place.clear();
  const ProblemPtr problem = problem_of(kMeeting, 0, 1);
  const std::vector<EpisodeRequest> requests{{problem.get(), addresses(0, 2)}};
  Visitor policy("turns", false);
  const auto batch = rollout_episodes(policy, requests, {.max_turns = 1, .threads = 2});
  ASSERT_TRUE(batch) << batch.error().message;
  for (const ScoredRollout& rollout : batch->groups[0].rollouts) EXPECT_TRUE(rollout.solved);
}

// Everything that a batch tells.
Json told(const EpisodeBatch& batch) {
  Json all = {{"cut", batch.cut},
              {"turns", batch.rewritten.turns},
              {"tokens", batch.rewritten.tokens},
              {"left_out", batch.rewritten.left_out},
              {"why", batch.rewritten.why}};
  for (const EpisodeGroup& group : batch.groups) {
    Json rollouts = Json::array();
    for (const ScoredRollout& rollout : group.rollouts) {
      Json given = Json::array();
      for (const TokenRun& run : rollout.given) given.push_back({run.begin, run.end});
      rollouts.push_back({rollout.completion.text, rollout.completion.tokens,
                          rollout.completion.log_probs, rollout.completion.finish, rollout.reward,
                          rollout.solved, rollout.well_formed, given});
    }
    all["groups"].push_back({group.prompt, group.prompt_tokens, group.turns, rollouts});
  }
  return all;
}

TEST(Episodes, AreTheSameForAnyNumberOfThreads) {
  const Played played = hidden_numbers(8, 3);
  const ProblemPtr door = problem_of(kDoor, 0, 1);
  const std::vector<EpisodeRequest> doors{{door.get(), addresses(0, 4)},
                                          {door.get(), addresses(1, 3)}};
  std::vector<Json> seekers;
  std::vector<Json> visitors;
  for (const int threads : {1, 4}) {
    Seeker seeker;
    const auto found = rollout_episodes(seeker, played.requests, {.threads = threads});
    ASSERT_TRUE(found) << found.error().message;
    seekers.push_back(told(*found));
    Visitor visitor("thinking", false);
    const auto visited = rollout_episodes(visitor, doors, {.threads = threads});
    ASSERT_TRUE(visited) << visited.error().message;
    visitors.push_back(told(*visited));
  }
  EXPECT_EQ(seekers[0], seekers[1]);
  EXPECT_EQ(visitors[0], visitors[1]);
  EXPECT_GT(visitors[0]["turns"], 0);
}

TEST(Episodes, OfferTheToolsOfNow) {
  const ProblemPtr problem = problem_of(kDoor, 0, 1);
  const std::vector<EpisodeRequest> requests{{problem.get(), addresses(0, 2)}};
  for (const auto history : {RewrittenHistory::kAnew, RewrittenHistory::kAppend}) {
    Visitor policy("turns", true);
    const auto batch = rollout_episodes(policy, requests, {.rewritten_history = history});
    ASSERT_TRUE(batch) << batch.error().message;
    const EpisodeGroup& group = batch->groups[0];
    EXPECT_EQ(batch->rewritten.turns, 2);
    EXPECT_THAT(batch->rewritten.sentence(), HasSubstr("other tools than before"));
    for (std::uint64_t j = 0; j < 2; ++j) {
      EXPECT_TRUE(group.rollouts[j].solved) << dump_json(group.turns[j]);
      ASSERT_EQ(policy.read[j].size(), 2U) << "open, then enter";
      EXPECT_THAT(policy.read[j][1],
                  AllOf(HasSubstr("Goes through the door."), HasSubstr("It opens."),
                        Not(HasSubstr("Opens the door."))));
      EXPECT_EQ(trained(group, group.rollouts[j]), policy.read[j][1] + "[" + policy.said(j) + "]");
    }
  }
}

// The messages of an episode before its last turn.
std::vector<Message> conversation_of(const Json& turns) {
  std::vector<Message> messages{{.role = "user", .content = "There is a door."}};
  for (std::size_t i = 0; i + 2 < turns.size(); ++i)
    messages.push_back({.role = turns[i]["role"], .content = turns[i]["text"]});
  return messages;
}

// Qwen3's template drops the thoughts of earlier turns as soon as a user speaks.
TEST(Episodes, AreComputedAnewWhereTheTemplateRewritesThem) {
  const ProblemPtr problem = problem_of(kDoor, 0, 1);
  const std::vector<EpisodeRequest> requests{{problem.get(), addresses(0, 3)}};
  Visitor policy("thinking", false);
  const auto batch = rollout_episodes(policy, requests, {});
  ASSERT_TRUE(batch) << batch.error().message;
  const EpisodeGroup& group = batch->groups[0];
  const ChatLayout layout = policy.chat_layout({}, true).value();
  for (std::uint64_t j = 0; j < 3; ++j) {
    SCOPED_TRACE(j);
    ASSERT_EQ(policy.read[j].size(), 4U);
    const std::string& last = policy.read[j].back();
    EXPECT_EQ(last, layout.opening(conversation_of(group.turns[j])).value());
    EXPECT_THAT(last, Not(HasSubstr("<think>")));
    const std::string learned = trained(group, group.rollouts[j]);
    if (j % 2 == 0) {
      EXPECT_EQ(learned, last + "[" + policy.said(j) + "]") << "only what was drawn after it";
    } else {
      std::string whole = policy.read[j][0];
      for (std::size_t turn = 0; turn < 4; ++turn) {
        if (turn > 0) whole += layout.between(std::vector{nothing_happens()}).value();
        whole += "[" + policy.said(j) + "]";
      }
      EXPECT_EQ(learned, whole) << "nothing of this one was rewritten";
    }
    EXPECT_THAT(group.rollouts[j].completion.text, HasSubstr("Nothing happens."));
  }
  EXPECT_EQ(batch->rewritten.turns, 6) << "three of both rollouts that think";
  EXPECT_EQ(batch->rewritten.tokens,
            static_cast<std::int64_t>(3 * (policy.said(0).size() + policy.said(2).size())));
  EXPECT_THAT(batch->rewritten.sentence(), AllOf(HasSubstr("anew"), HasSubstr("<think>")));

  StepLog log(0);
  log.count_rewritten(batch->rewritten);
  RecipeBatch step;
  std::move(log).write(step);
  EXPECT_EQ(step.sampled_tokens, batch->rewritten.tokens);
  EXPECT_THAT(step.remark, AllOf(HasSubstr("6 turns"), HasSubstr("training takes the last")));
}

TEST(Episodes, GoOnAllTheSameIfThatIsWanted) {
  const ProblemPtr problem = problem_of(kDoor, 0, 1);
  const std::vector<EpisodeRequest> requests{{problem.get(), addresses(0, 2)}};
  Visitor policy("thinking", false);
  const auto batch =
      rollout_episodes(policy, requests, {.rewritten_history = RewrittenHistory::kAppend});
  ASSERT_TRUE(batch) << batch.error().message;
  const EpisodeGroup& group = batch->groups[0];
  for (std::uint64_t j = 0; j < 2; ++j) {
    EXPECT_EQ(drawn_runs(group.rollouts[j]).size(), 4U);
    std::string unmarked = trained(group, group.rollouts[j]);
    for (std::size_t at; (at = unmarked.find("[" + policy.said(j) + "]")) != std::string::npos;)
      unmarked.replace(at, policy.said(j).size() + 2, policy.said(j));
    EXPECT_EQ(unmarked, policy.read[j].back() + policy.said(j));
  }
  EXPECT_EQ(batch->rewritten.turns, 3);
  EXPECT_EQ(batch->rewritten.tokens, 0);
  EXPECT_THAT(batch->rewritten.sentence(), AllOf(HasSubstr("appended"), HasSubstr("<think>")));
}

// A template whose text begins otherwise as soon as the conversation has more than one turn.
Expected<ChatTemplate> renamed_when_long() {
  return ChatTemplate::parse(
      "{% if messages|length > 2 %}Long: {% else %}Short: {% endif %}"
      "{% for message in messages %}[{{ message.content }}]{% endfor %}");
}

TEST(Episodes, ShareThePromptOfTheirNewBeginning) {
  const ProblemPtr problem = problem_of(kDoor, 0, 1);
  const std::vector<EpisodeRequest> requests{{problem.get(), addresses(0, 3)}};
  Visitor policy(renamed_when_long(), {});
  const auto batch = rollout_episodes(policy, requests, {});
  ASSERT_TRUE(batch) << batch.error().message;
  const EpisodeGroup& group = batch->groups[0];
  EXPECT_EQ(Seeker::text_of(group.prompt_tokens), "Long: [There is a door.][");
  for (std::uint64_t j = 0; j < 3; ++j)
    EXPECT_EQ(trained(group, group.rollouts[j]),
              policy.read[j].back() + "[" + policy.said(j) + "]");
  EXPECT_EQ(batch->rewritten.turns, 9);
  EXPECT_EQ(batch->rewritten.left_out, 0);
}

// Episodes that no longer begin alike cannot share a prompt: the most that do are trained.
TEST(Episodes, LeaveOutOfTrainingWhatBeginsOtherwise) {
  const ProblemPtr problem = problem_of(kDoor, 0, 1);
  struct Case {
    std::size_t rollouts;
    std::set<std::uint64_t> cut;  // their prompt stays the first one
    std::set<std::uint64_t> left_out;
  };
  for (const auto& [rollouts, cut, left_out] : {
           Case{2, {0}, {1}},  // a tie: the first
           Case{2, {1}, {1}},
           Case{3, {0}, {0}},
           Case{4, {0, 1, 3}, {2}},
       }) {
    SCOPED_TRACE(testing::PrintToString(cut));
    const std::vector<EpisodeRequest> requests{{problem.get(), addresses(0, rollouts)}};
    Visitor policy(renamed_when_long(), cut);
    const auto batch = rollout_episodes(policy, requests, {});
    ASSERT_TRUE(batch) << batch.error().message;
    const EpisodeGroup& group = batch->groups[0];
    std::size_t drawn = 0;  // and not trained
    for (std::uint64_t j = 0; j < rollouts; ++j) {
      SCOPED_TRACE(j);
      const ScoredRollout& rollout = group.rollouts[j];
      const std::size_t turns = cut.contains(j) ? 1 : 4;
      ASSERT_EQ(policy.read[j].size(), turns);
      EXPECT_EQ(rollout.reward, 0.0) << "judged in any case";
      EXPECT_THAT(rollout.completion.text, HasSubstr(policy.said(j)));
      EXPECT_EQ(group.turns[j].size(), 2 * turns);
      if (left_out.contains(j)) {
        EXPECT_TRUE(rollout.completion.tokens.empty());
        EXPECT_TRUE(rollout.completion.log_probs.empty());
        EXPECT_TRUE(rollout.given.empty());
      } else {
        EXPECT_EQ(trained(group, rollout), policy.read[j].back() + "[" + policy.said(j) + "]");
      }
      drawn += (turns - (left_out.contains(j) ? 0 : 1)) * policy.said(j).size();
    }
    EXPECT_EQ(batch->rewritten.left_out, std::ssize(left_out));
    EXPECT_EQ(batch->rewritten.tokens, static_cast<std::int64_t>(drawn));

    StepLog log(0);
    log.count_rewritten(batch->rewritten);
    RecipeBatch step;
    std::move(log).write(step);
    EXPECT_THAT(step.remark, HasSubstr("begins otherwise"));
    EXPECT_THAT(step.metrics, testing::Contains(testing::AllOf(
                                  testing::Field(&run::MetricValue::name, "untrained_episodes"),
                                  testing::Field(&run::MetricValue::value, 1.0))));
  }
}

TEST(Episodes, NeedATemplateOnlyForSeveralTurns) {
  EchoPolicy policy(9);
  const auto problem = problem_of(kEcho, 0, 1);
  EXPECT_TRUE(rollout_episodes(policy,
                               std::vector<EpisodeRequest>{{problem.get(), addresses(0, 1)}},
                               {.format = PromptFormat::parse("terse").value()}));
  const Played played = hidden_numbers(1, 1);
  EXPECT_FALSE(rollout_episodes(policy, played.requests, {}));
}

}  // namespace
}  // namespace redqueen
