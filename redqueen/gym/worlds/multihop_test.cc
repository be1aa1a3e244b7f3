#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/common/archive/archive.h"
#include "redqueen/gym/common/archive/library.h"
#include "redqueen/gym/common/archive/question.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

using testing::HasSubstr;
using testing::Not;

const Environment& multihop() { return *Registry::native().find("multihop"); }

ProblemPtr multihop_problem(int level, std::uint64_t seed) {
  return *multihop().generate(level, seed);
}

Archive archive_of(const Problem& problem) {
  return *from_json<Archive>(problem.parameter()["archive"]);
}

ArchiveQuestion question_of(const Problem& problem) {
  return *from_json<ArchiveQuestion>(problem.parameter()["question"]);
}

Action say_answer(std::string_view text) {
  return {.tool_calls = {{.name = "answer", .arguments = Json{{"text", text}}}}};
}

Verdict verdict_on(const Problem& problem, const Action& action) {
  return replay(problem, {}, {&action, 1})->verdict();
}

std::string last_answer(const Problem& problem) {
  return problem.reference_actions({}).back().tool_calls[0].arguments["text"];
}

// ------------------------------------------------------------------------------------------------
// A reader who has nothing but the text of the documents.

class TextReader {
 public:
  explicit TextReader(const std::string& documents) {
    std::size_t begin = 0;
    while (begin < documents.size()) {
      const std::size_t end = documents.find('\n', begin);
      const std::string line = documents.substr(begin, end - begin);
      // "Title (kind). Sentence. Sentence."
      for (std::size_t at = line.find("). ") + 3; at < line.size();) {
        const std::size_t stop = std::min(line.find(". ", at), line.size() - 1);
        sentences_.insert(line.substr(at, stop - at));
        at = stop + 2;
      }
      begin = end + 1;
    }
  }

  // What the relation says of a name; "" if no sentence does.
  std::string follow(const std::string& relation, const std::string& name) const {
    static const std::map<std::string, std::pair<std::string, std::string>> kFrames{
        {"birthplace", {"", " was born in "}},
        {"teacher", {"The teacher of ", " was "}},
        {"school", {"", " attended "}},
        {"region", {"", " is a city in the region "}},
        {"mayor", {"The first mayor of ", " was "}},
        {"capital", {"The capital of ", " is "}},
        {"founder", {"", " was founded by "}},
        {"seat", {"The seat of ", " is "}},
        {"author", {"", " is a novel by "}},
        {"setting", {"The setting of ", " is "}}};
    const auto& [before, after] = kFrames.at(relation);
    return completed(before + name + after, false);
  }

  std::string year(const std::string& name) const {
    for (const char* word : {"born", "founded", "published"}) {
      const std::string found = completed(name + " was " + word + " in ", true);
      if (!found.empty()) return found;
    }
    return {};
  }

  int count(const std::string& relation, const std::string& name,
            const std::vector<std::string>& names) const {
    return static_cast<int>(std::ranges::count_if(
        names, [&](const std::string& each) { return follow(relation, each) == name; }));
  }

 private:
  std::string completed(const std::string& start, bool number) const {
    for (auto found = sentences_.lower_bound(start);
         found != sentences_.end() && found->starts_with(start); ++found) {
      const std::string rest = found->substr(start.size());
      if ((rest[0] >= '0' && rest[0] <= '9') == number) return rest;
    }
    return {};
  }

  std::set<std::string> sentences_;
};

std::string answer_from_text(const Archive& archive, const ArchiveQuestion& question) {
  const TextReader reader(Library(archive).everything());
  std::vector<std::string> ends;
  for (const ArchivePath& path : question.paths) {
    std::string name = name_of(archive, {*find_archive_kind(path.kind), path.start});
    for (const std::string& relation : path.relations) {
      if (!name.empty()) name = reader.follow(relation, name);
    }
    if (name.empty()) return "unknown";
    ends.push_back(name);
  }
  if (question.form == "entry") return ends[0];
  if (question.form == "count") {
    std::vector<std::string> names;
    for (const ArchiveEntry entry : archive_entries(archive)) {
      if (entry.kind == find_archive_relation(question.counted)->from) {
        names.push_back(name_of(archive, entry));
      }
    }
    return std::to_string(reader.count(question.counted, ends[0], names));
  }
  const std::string year = reader.year(ends[0]);
  if (question.form == "year") return year.empty() ? "unknown" : year;
  return std::stoi(year) < std::stoi(reader.year(ends[1])) ? ends[0] : ends[1];
}

TEST(Multihop, AnswersWhatTheDocumentsSay) {
  std::map<std::string, int> forms;
  for (const int level : {0, 1, 2, 5, 9, 13}) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      const ProblemPtr problem = multihop_problem(level, seed);
      const ArchiveQuestion question = question_of(*problem);
      EXPECT_EQ(last_answer(*problem), answer_from_text(archive_of(*problem), question))
          << problem->prompt();
      ++forms[last_answer(*problem) == kUntold ? "untold" : question.form];
    }
  }
  EXPECT_EQ(forms.size(), 5u) << "every form came up";
}

// Who only knows what was shown to him can answer: the last fact is in what the solver reads.
TEST(Multihop, ShowsTheFactsToItsSolver) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ProblemPtr problem = multihop_problem(6, seed);
    const ArchiveQuestion question = question_of(*problem);
    const Archive archive = archive_of(*problem);
    std::vector<Observation> seen;
    replay(*problem, {}, problem->reference_actions({}), &seen);
    std::string shown;
    for (std::size_t i = 1; i < seen.size(); ++i) shown += seen[i].messages[0].content + "\n";
    const std::string answer = last_answer(*problem);
    if (question.form == "count") {
      const ArchiveRelation& relation = *find_archive_relation(question.counted);
      const auto end = follow(archive, question.paths[0]).back();
      for (const ArchiveEntry entry : leading_to(archive, relation, end)) {
        EXPECT_THAT(shown, HasSubstr(name_of(archive, entry)));
      }
    } else if (answer != kUntold) {
      EXPECT_THAT(shown, HasSubstr(answer));
    }
    EXPECT_THAT(problem->prompt(), Not(HasSubstr("All documents")));
  }
}

TEST(Multihop, AsksForAsManyFactsAsItsLevelSays) {
  for (const auto& [level, hops] : {std::pair(0, 2), {3, 2}, {4, 3}, {8, 4}, {12, 5}, {30, 5}}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const ArchiveQuestion question = question_of(*multihop_problem(level, seed));
      std::size_t facts = question.form == "entry" ? 0 : question.paths.size();
      for (const ArchivePath& path : question.paths) facts += path.relations.size();
      EXPECT_EQ(facts, static_cast<std::size_t>(hops)) << "level " << level << ", seed " << seed;
    }
  }
}

TEST(Multihop, LeavesATenthUnanswerable) {
  int untold = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    untold += last_answer(*multihop_problem(2, seed)) == kUntold;
    if (seed < 50) {
      EXPECT_NE(last_answer(*multihop_problem(1, seed)), kUntold);
    }
  }
  EXPECT_GT(untold, 15);
  EXPECT_LT(untold, 50);
}

TEST(Multihop, TakesAnAnswerInAnySpelling) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ProblemPtr problem = multihop_problem(1, seed);
    const std::string answer = last_answer(*problem);
    for (const std::string& text :
         {answer, " " + answer + ".", "The \"" + answer + "\"", "**" + answer + "**"}) {
      EXPECT_TRUE(verdict_on(*problem, say_answer(text)).solved) << text;
      EXPECT_TRUE(verdict_on(*problem, {.text = "I know.\n<answer>" + text + "</answer>"}).solved);
      EXPECT_TRUE(verdict_on(*problem, {.text = "So:\n> answer: " + text}).solved);
    }
    for (const std::string& text :
         {answer + " or not", std::string("x"), "1" + answer, answer.substr(1)}) {
      EXPECT_FALSE(verdict_on(*problem, say_answer(text)).solved) << text;
    }
    const std::string word = answer == "1" ? "One" : answer == "3" ? "three." : answer;
    EXPECT_TRUE(verdict_on(*problem, say_answer(word)).solved) << word;
  }
}

TEST(Multihop, TakesOneAnswerAlone) {
  const ProblemPtr problem = multihop_problem(1, 1);
  const std::vector<Action> turns{say_answer("nonsense"), say_answer(last_answer(*problem))};
  EXPECT_FALSE(replay(*problem, {}, turns)->verdict().solved);
  Action both = turns[0];
  both.tool_calls.push_back(turns[1].tool_calls[0]);
  EXPECT_FALSE(verdict_on(*problem, both).solved);
}

TEST(Multihop, AnswersWhatCannotBeUnderstood) {
  const ProblemPtr problem = multihop_problem(1, 1);
  const std::string million(1'000'000, 'x');
  const auto call = [](std::string name, Json arguments) {
    return Action{.tool_calls = {{.name = std::move(name), .arguments = std::move(arguments)}}};
  };
  const std::vector<std::pair<Action, std::string>> cases{
      {{.text = ""}, "is no command"},
      {{.text = "let me think"}, "is no command"},
      {{.text = million}, "is no command"},
      {call("browse", Json::object()), "there is no tool \"browse\""},
      {call("search", Json::object()), "\"query\": missing"},
      {call("read", Json{{"title", 7}}), "expected a string"},
      {call("read", Json{{"title", million}}), "There is no document with the title"},
      {call("search", Json{{"query", million}}), "No document has any of these words."},
      {call("search", "two"), "expected a JSON object"}};
  for (const auto& [action, reply] : cases) {
    std::vector<Observation> seen;
    EXPECT_FALSE(replay(*problem, {}, {&action, 1}, &seen)->verdict().solved);
    EXPECT_THAT(seen[1].messages[0].content, HasSubstr(reply));
    EXPECT_LT(seen[1].messages[0].content.size(), 300u);
  }
  std::vector<Observation> seen;
  const std::vector<Action> circles(200, call("search", Json{{"query", "the"}}));
  replay(*problem, {}, circles, &seen);
  EXPECT_TRUE(seen[static_cast<std::size_t>(problem->max_turns())].truncated);
}

TEST(Multihop, RefusesQuestionsThatCannotBe) {
  const ProblemPtr problem = multihop_problem(1, 1);
  const Archive archive = archive_of(*problem);
  const auto refused = [&](ArchiveQuestion question) {
    return !check_question(archive, question).has_value();
  };
  EXPECT_FALSE(refused({"entry", {{"novel", 0, {"author", "birthplace"}}}, ""}));
  EXPECT_TRUE(refused({"guess", {{"novel", 0, {"author"}}}, ""}));
  EXPECT_TRUE(refused({"entry", {{"novel", 0, {"mayor"}}}, ""}));
  EXPECT_TRUE(refused({"entry", {{"novel", 0, {}}}, ""}));
  EXPECT_TRUE(refused({"entry", {{"novel", 999, {"author"}}}, ""}));
  EXPECT_TRUE(refused({"year", {{"city", 0, {"region"}}}, ""})) << "a region has no year";
  EXPECT_TRUE(refused({"earlier", {{"person", 0, {}}}, ""}));
  EXPECT_TRUE(refused({"earlier", {{"person", 0, {}}, {"novel", 0, {}}}, ""}));
  EXPECT_TRUE(refused({"earlier", {{"person", 0, {}}, {"person", 0, {}}}, ""})) << "the same year";
  EXPECT_TRUE(refused({"count", {{"novel", 0, {"author"}}}, "birthplace"}));
  EXPECT_TRUE(refused({"count", {{"novel", 0, {"author"}}}, "capital"}));
}

// The ranking against the formula, written down as it stands in the literature.
TEST(SearchIndex, RanksByOkapi) {
  Rng rng({.seed = 1, .purpose = hash_name("okapi")});
  for (int round = 0; round < 50; ++round) {
    const auto draw_words = [&](std::int64_t most) {
      std::vector<std::string> words(static_cast<std::size_t>(rng.integer(1, most)));
      for (std::string& word : words) word = fmt::format("w{}", rng.below(8));
      return words;
    };
    std::vector<std::vector<std::string>> documents;
    SearchIndex index;
    double total = 0;
    for (int i = 0; i < 12; ++i) {
      documents.push_back(draw_words(20));
      total += static_cast<double>(documents.back().size());
      index.add(fmt::format("{}", fmt::join(documents.back(), ", ")));
    }
    const auto query = draw_words(4);
    const std::set<std::string> words(query.begin(), query.end());
    std::map<int, double> scores;
    for (int i = 0; i < 12; ++i) {
      for (const std::string& word : words) {
        const auto& text = documents[i];
        const auto tf = static_cast<double>(std::ranges::count(text, word));
        if (tf == 0) continue;
        const auto df = static_cast<double>(std::ranges::count_if(
            documents, [&](const auto& d) { return std::ranges::count(d, word) > 0; }));
        const double length = static_cast<double>(text.size()) / (total / 12);
        scores[i] += std::log(1 + (12 - df + 0.5) / (df + 0.5)) * tf * 2.2 /
                     (tf + 1.2 * (0.25 + 0.75 * length));
      }
    }
    const auto hits = index.search(fmt::format("{}", fmt::join(query, " ")), 100);
    ASSERT_EQ(hits.size(), scores.size());
    for (std::size_t i = 1; i < hits.size(); ++i) {
      EXPECT_GE(scores[hits[i - 1]], scores[hits[i]] - 1e-9);
    }
    EXPECT_EQ(index.search(fmt::format("{}", fmt::join(query, " ")), 1).size(),
              std::min<std::size_t>(1, hits.size()));
  }
}

}  // namespace
}  // namespace redqueen
