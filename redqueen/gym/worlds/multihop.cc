// Multihop: the shape of Bamboogle. A question takes several documents, found behind `search` and
// `read`.

#include <memory>

#include "redqueen/core/contract.h"
#include "redqueen/core/tool.h"
#include "redqueen/core/turns_contract.h"
#include "redqueen/gym/common/archive/archive.h"
#include "redqueen/gym/common/archive/library.h"
#include "redqueen/gym/common/archive/question.h"
#include "redqueen/gym/common/worlds/turn.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

struct Multihop {
  static constexpr Card card{
      .name = "multihop",
      .family = Family::kWorlds,
      .answer = AnswerKind::kTurns,
      .scoring = Scoring::kExact,
      .task =
          "Answer a question about a made-up world whose facts lie in different documents, "
          "which are searched and read by tools; some questions cannot be answered.",
      .levels =
          "Level 0 asks for 2 facts and tells all documents. From level 1 on one must "
          "search, and comparisons and counts come in; from level 2 on a tenth of the "
          "questions has no answer. Every fourth level asks for a fact more, up to 5; every "
          "level adds about 9 documents.",
      .rewards =
          "-1 without a call or answer that can be understood, 0 if the answer is wrong or "
          "missing, 1 if it is right once case, punctuation and articles are left out.",
      .source =
          "Press et al., Measuring and Narrowing the Compositionality Gap in Language "
          "Models, Findings of EMNLP 2023, https://arxiv.org/abs/2210.03350",
      .max_level = 30};

  struct Config {
    int hops = 0;
    int people = 0;
    int novels = 0;
    int cities = 0;
    int regions = 0;
    int schools = 0;
    bool told = false;
    bool compared = false;    // whether comparisons and counts are asked for
    bool unanswered = false;  // whether some questions have no answer
    REDQUEEN_FIELDS(hops, people, novels, cities, regions, schools, told, compared, unanswered)
  };
  struct Problem {
    bool told = false;  // whether the prompt holds all documents
    int hops = 0;       // facts that the answer takes; fixes the limit of turns
    Archive archive;
    ArchiveQuestion question;
    REDQUEEN_FIELDS(told, hops, archive, question)
  };
  struct State {
    int calls = 0;  // so far, understood or not
    int understood = 0;
    bool answered = false;
    std::string answer;                // normalised, cut
    std::shared_ptr<Library> library;  // follows from the problem, which outlives it
    REDQUEEN_FIELDS(calls, understood, answered, answer)
  };
  struct Query {
    std::string query;
    REDQUEEN_FIELDS(query)
  };
  struct Title {
    std::string title;
    REDQUEEN_FIELDS(title)
  };
  struct Text {
    std::string text;
    REDQUEEN_FIELDS(text)
  };

  static Config at_level(int level, Rng&) {
    return {.hops = std::min(2 + level / 4, kMostHops),
            .people = 8 + 3 * level,
            .novels = 6 + 3 * level,
            .cities = 4 + 2 * level,
            .regions = 2 + level / 2,
            .schools = 3 + level,
            .told = level == 0,
            .compared = level >= 1,
            .unanswered = level >= 2};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.told = config.told, .hops = config.hops};
    problem.archive = draw_archive(
        {config.people, config.cities, config.regions, config.schools, config.novels}, rng);
    const std::string_view form = draw_form(config, rng);
    std::optional<ArchiveQuestion> question;
    for (int tries = 0; tries < 50 && !question; ++tries) {
      question = draw_question(problem.archive, form, config.hops, rng);
    }
    if (!question) throw Retry();
    problem.question = *question;
    const bool chain = form == "entry" || form == "year";
    if (config.unanswered && chain && rng.chance(kUnansweredOfChains)) {
      make_unanswerable(problem.archive, problem.question, rng);
    }
    if (!check(problem)) throw Retry();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_archive(problem.archive));
    RETURN_IF_ERROR(check_question(problem.archive, problem.question));
    const auto read = static_cast<int>(solve_turns(problem).size());
    if (problem.hops < 1 || problem.hops > kMostFacts || read > max_turns(problem)) {
      return failure("\"hops\": expected 1 to {}, and enough of them for the question, found {}",
                     kMostFacts, problem.hops);
    }
    if (problem.question.form != "count") return {};
    // Whoever looks for what is counted must be able to find all of it at once.
    const auto ends = follow(problem.archive, problem.question.paths[0]);
    const ArchiveRelation& relation = *find_archive_relation(problem.question.counted);
    const auto hits = Library(problem.archive).hits(name_of(problem.archive, ends.back()));
    for (const ArchiveEntry entry : leading_to(problem.archive, relation, ends.back())) {
      if (std::ranges::find(hits, entry) == hits.end()) {
        return failure("\"question\": a search does not list all that is counted");
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string text = fmt::format(
        "Answer a question about a made-up world of people, cities, regions, schools and novels. "
        "There is one document on each; only what the documents say counts.\n\n"
        "Question: {}\n\n"
        "Give one command a line:\n"
        "- search WORDS: lists up to {} documents that have these words, with a sentence of each\n"
        "- read TITLE: shows a whole document\n"
        "- answer TEXT: gives your answer, once: a name, a year or a number; \"{}\" if the "
        "documents do not tell\n\n"
        "If you write other text as well, begin each command's line with \">\". "
        "<answer>TEXT</answer> gives your answer, too. You have {} commands in all, and every line "
        "and every call is one.",
        question_text(problem.archive, problem.question), Library::kMostHits, kUntold,
        max_turns(problem));
    if (problem.told) {
      text += "\n\nAll documents:\n" + Library(problem.archive).everything();
      text.pop_back();
    }
    return text;
  }

  static std::vector<ToolSpec> tools(const Problem&) {
    return {tool<Query>("search", "Lists documents that have words of the query.",
                        {{"query", "a few words"}}),
            tool<Title>("read", "Shows a whole document.", {{"title", "its title"}}),
            tool<Text>("answer", "Gives the answer to the question, once.",
                       {{"text", "a name, a year or a number, or \"unknown\""}})};
  }

  static int max_turns(const Problem& problem) { return 6 * problem.hops + 6; }

  static State begin(const Problem& problem) {
    return {.library = std::make_shared<Library>(problem.archive)};
  }

  static Observation step(const Problem& problem, State& state, const Action& action) {
    Observation seen;
    const auto marked = action.tool_calls.empty()
                            ? extract_answer(action.text, MarkerStyle::kAnswerTag)
                            : std::nullopt;
    if (marked) {
      ++state.calls;
      seen.messages = {{.role = "user", .content = give_answer(state, *marked)}};
    } else {
      seen.messages = play_turn(
          action, [&](std::string_view line) { return play_line(state, line); },
          [&](const ToolCall& call) { return play_call(problem, state, call); },
          [&] { return state.answered || state.calls >= max_turns(problem); });
    }
    seen.terminated = state.answered;
    seen.truncated = !seen.terminated && state.calls >= max_turns(problem);
    return seen;
  }

  static Verdict verdict(const Problem& problem, const State& state) {
    if (state.understood == 0) return {};
    const std::string right = question_answer(problem.archive, problem.question);
    return verdict_of(exact_reward(state.answered && state.answer == normalised(right)));
  }

  // Reads along the paths, then answers.
  static std::vector<Action> solve_turns(const Problem& problem) {
    const Archive& archive = problem.archive;
    const ArchiveQuestion& question = problem.question;
    std::vector<Action> turns;
    for (const ArchivePath& path : question.paths) {
      auto entries = follow(archive, path);
      const bool whole = entries.size() == path.relations.size() + 1;
      const std::string& end = name_of(archive, entries.back());
      // The document of the end says nothing more about an entry that is asked for or counted.
      if (whole && (question.form == "entry" || question.form == "count")) entries.pop_back();
      for (const ArchiveEntry entry : entries) {
        turns.push_back(call("read", to_json(Title{name_of(archive, entry)})));
      }
      if (question.form == "count") turns.push_back(call("search", to_json(Query{end})));
    }
    turns.push_back(call("answer", to_json(Text{question_answer(archive, question)})));
    return turns;
  }

  // Looks at something and answers with something.
  static std::vector<Action> random_turns(const Problem& problem, Rng& rng) {
    const auto entries = archive_entries(problem.archive);
    const auto any = [&] { return name_of(problem.archive, rng.choice(entries)); };
    std::vector<Action> turns;
    for (std::int64_t looks = rng.integer(0, 3); looks > 0; --looks) {
      turns.push_back(rng.chance(0.5) ? call("search", to_json(Query{any()}))
                                      : call("read", to_json(Title{any()})));
    }
    turns.push_back(call("answer", to_json(Text{any()})));
    return turns;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Archive& archive = problem.archive;
    const auto guess = [](std::string rule, const std::string& text) {
      const std::vector<Action> turns{call("answer", to_json(Text{text}))};
      return NamedAnswer{std::move(rule), transcript(turns)};
    };
    const auto entries = follow(archive, problem.question.paths[0]);
    const ArchiveEntry first = entries.size() > 1 ? entries[1] : entries[0];
    return {guess("that nobody knows", std::string(kUntold)),
            guess("what the first document names", name_of(archive, first)),
            guess("the subject of the question", name_of(archive, entries[0])),
            guess("the number 2", "2")};
  }

 private:
  static constexpr int kMostHops = 5;
  static constexpr int kMostFacts = 20;
  // A tenth of all questions: chains are seven tenths of them.
  static constexpr double kUnansweredOfChains = 1.0 / 7.0;

  static std::string_view draw_form(const Config& config, Rng& rng) {
    const double draw = rng.real();
    if (config.compared && draw < 0.15) return "earlier";
    if (config.compared && draw < 0.3) return "count";
    return rng.chance(0.7) ? "entry" : "year";
  }

  static Action call(std::string name, Json arguments) {
    return {.tool_calls = {{.name = std::move(name), .arguments = std::move(arguments)}}};
  }

  // Counts may be given in words.
  static std::string plain_answer(std::string_view text) {
    constexpr std::size_t kMostBytes = 200;  // no right answer is longer
    constexpr std::array<std::string_view, 11> kNumbers{
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
    std::string plain = normalised(text.substr(0, kMostBytes + 1));
    const auto number = std::ranges::find(kNumbers, plain);
    if (number != kNumbers.end()) plain = fmt::format("{}", number - kNumbers.begin());
    return plain;
  }

  static std::string give_answer(State& state, std::string_view text) {
    ++state.understood;
    state.answered = true;
    state.answer = plain_answer(text);
    return "Your answer is taken down.";
  }

  static std::string play_line(State& state, std::string_view line) {
    ++state.calls;
    const auto space = std::ranges::find_if(line, [](char c) { return is_space(c) || c == ':'; });
    const auto length = static_cast<std::size_t>(space - line.begin());
    const std::string verb = normalised(line.substr(0, std::min<std::size_t>(length, 20)));
    std::string_view rest = trim(line.substr(length));
    while (rest.starts_with(':')) rest = trim(rest.substr(1));
    if (!rest.empty()) {
      if (auto reply = perform(state, verb, rest)) return *reply;
    }
    return fmt::format("\"{}\" is no command. Commands are: search WORDS, read TITLE, answer TEXT.",
                       quotable(line));
  }

  static std::string play_call(const Problem& problem, State& state, const ToolCall& made) {
    ++state.calls;
    const auto argument = read_argument(made);
    if (!argument) return "error: " + argument.error().message;
    if (auto reply = perform(state, made.name, *argument)) return *reply;
    return unknown_tool_message(made, tools(problem)).content;
  }

  static Expected<std::string> read_argument(const ToolCall& made) {
    if (made.name == "search") {
      ASSIGN_OR_RETURN(auto given, from_json<Query>(made.arguments));
      return std::move(given.query);
    }
    if (made.name == "read") {
      ASSIGN_OR_RETURN(auto given, from_json<Title>(made.arguments));
      return std::move(given.title);
    }
    if (made.name != "answer") return std::string();
    ASSIGN_OR_RETURN(auto given, from_json<Text>(made.arguments));
    return std::move(given.text);
  }

  static std::optional<std::string> perform(State& state, std::string_view verb,
                                            std::string_view argument) {
    if (verb == "answer") return give_answer(state, argument);
    if (verb != "search" && verb != "read") return std::nullopt;
    ++state.understood;
    return verb == "search" ? state.library->search(argument) : state.library->read(argument);
  }
};

REDQUEEN_ENVIRONMENT(Multihop);

}  // namespace
}  // namespace redqueen
