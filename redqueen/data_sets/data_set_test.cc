#include "redqueen/data_sets/data_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "redqueen/base/testing/folder.h"
#include "redqueen/core/testing/episode_checks.h"

namespace redqueen::data_sets {
namespace {

using ::testing::HasSubstr;

std::vector<Row> rows(std::string_view text) {
  auto read = parse_rows(text, "rows.jsonl");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().message);
  return read ? *std::move(read) : std::vector<Row>();
}

// A row of each published form, as its readers know it.
struct DataSetForm {
  const char* line;
  const char* prompt;
  VerifierKind kind;
  const char* answer;
  int level;
};
const DataSetForm kDataSetForms[] = {
    {R"({"question": "2 + 2?", "answer": "Two and two.\n#### 1,004"})", "2 + 2?",
     VerifierKind::kNumber, "1,004", 0},
    {R"({"problem": "Half?", "level": "Level 3", "type": "Algebra", "solution": "It is $\\boxed{\\frac{1}{2}}$."})",
     "Half?", VerifierKind::kMath, "\\frac{1}{2}", 3},
    {R"({"id": 60, "problem": "How many?", "answer": "204", "url": "x"})", "How many?",
     VerifierKind::kMath, "204", 0},
    {R"({"question": "Limit?", "final_answer": "0", "difficulty": 4.5, "topic": "t", "r1_solution_1": "…"})",
     "Limit?", VerifierKind::kMath, "0", 4},
    {R"({"data_source": "math_dapo", "prompt": [{"role": "user", "content": "Sum?"}], "ability": "MATH", "reward_model": {"ground_truth": "34", "style": "rule-lighteval/MATH_v2"}})",
     "Sum?", VerifierKind::kMath, "34", 0},
    {R"({"input": "Sort b a", "target": "a b"})", "Sort b a", VerifierKind::kExact, "a b", 0},
    {R"({"question": "Capital?", "subject": "s", "choices": ["Rome", "Oslo"], "answer": 1})",
     "Capital?\n\nA) Rome\nB) Oslo", VerifierKind::kChoice, "B", 0},
    {R"({"question": "Capital?", "options": ["Rome", "Oslo", "Bonn"], "answer": "C", "answer_index": 2, "cot_content": ""})",
     "Capital?\n\nA) Rome\nB) Oslo\nC) Bonn", VerifierKind::kChoice, "C", 0},
    {R"({"prompt": "Exactly?", "answer": "yes", "verifier": "exact", "level": 7, "id": "q7"})",
     "Exactly?", VerifierKind::kExact, "yes", 7},
    {R"({"problem": "Half?", "solution": "It is $\\boxed{\\frac{1}{2}}$.", "answer": "\\frac{1}{2}", "level": 4, "subject": "Algebra"})",
     "Half?", VerifierKind::kMath, "\\frac{1}{2}", 4},
    {R"row({"body": "Seven red apples and two green ones are in it.", "question": "How many?", "answer": "9 (apples)", "solution_type": "Addition"})row",
     "Seven red apples and two green ones are in it. How many?", VerifierKind::kMath, "9", 0},
    {R"({"Body": "There are 290 bananas in 2 groups.", "Question": "How big is each?", "Answer": 145.0, "ID": "chal-1"})",
     "There are 290 bananas in 2 groups. How big is each?", VerifierKind::kMath, "145.0", 0},
    {R"({"input": "Joan had 70 and has 27. How many are gone?", "target": 43.0, "type": "singleeq"})",
     "Joan had 70 and has 27. How many are gone?", VerifierKind::kNumber, "43.0", 0},
    {R"({"passage": null, "question": "What is $a$?", "options": null, "label": null, "answer": "2"})",
     "What is $a$?", VerifierKind::kMath, "2", 0},
    {R"({"prompt": "Null?", "answer": "2", "verifier": null, "level": null, "tolerance": null, "reward_model": null})",
     "Null?", VerifierKind::kMath, "2", 0},
    {R"({"prompt": [{"role": "user", "content": "Solve the following math problem step by step. The last line of your response should be of the form Answer: $Answer.\n\nIs it 34?\n\nReally?\n\nRemember to put your answer on its own line after \"Answer:\"."}], "reward_model": {"ground_truth": "34"}})",
     "Is it 34?\n\nReally?", VerifierKind::kMath, "34", 0},
    {R"({"prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1 + 1?"}], "answer": 2})",
     "Be brief.\n\n1 + 1?", VerifierKind::kMath, "2", 0},
};

TEST(Rows, OfPublishedForms) {
  for (const DataSetForm& form : kDataSetForms) {
    SCOPED_TRACE(form.line);
    const auto read = parse_rows(form.line, "rows.jsonl");
    ASSERT_TRUE(read.has_value()) << read.error().message;
    const Row& row = read->front();
    EXPECT_EQ(row.prompt, form.prompt);
    EXPECT_EQ(row.verifier.kind, form.kind);
    EXPECT_EQ(row.verifier.answer, form.answer);
    EXPECT_EQ(row.level, form.level);
    const auto again = read_row(to_json(row));
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(to_json(*again), to_json(row));
  }
}

TEST(Rows, SayWhatIsWrongAndWhere) {
  const auto fault = [](std::string_view text) {
    const auto read = parse_rows(text, "rows.jsonl");
    return read ? "none" : read.error().message;
  };
  EXPECT_THAT(fault(""), HasSubstr("rows.jsonl: there is no row"));
  EXPECT_THAT(fault("\n{\"prompt\": \"a\"}"), HasSubstr("rows.jsonl:2: there is no \"answer\""));
  EXPECT_THAT(fault("[1]"), HasSubstr("a JSON object is expected"));
  EXPECT_THAT(fault("{"), HasSubstr("rows.jsonl:1: invalid JSON"));
  EXPECT_THAT(fault(R"({"text": "a"})"), HasSubstr("of no form that is known"));
  EXPECT_THAT(fault(R"({"prompt": "a", "answer": "b", "verifer": "exact"})"),
              HasSubstr("did you mean \"verifier\""));
  EXPECT_THAT(fault(R"({"prompt": "a", "answer": "b", "verifier": "maths"})"),
              HasSubstr("did you mean math"));
  EXPECT_THAT(fault(R"({"prompt": "a", "answer": "b", "verifier": "number"})"),
              HasSubstr("is no number"));
  EXPECT_THAT(fault(R"({"prompt": "a", "answer": ["b"]})"),
              HasSubstr("expected a text or a number"));
  EXPECT_THAT(fault(R"({"prompt": "a", "answer": "b", "level": 101})"),
              HasSubstr("no level from 0"));
  EXPECT_THAT(fault(R"({"prompt": "a", "answer": "A", "verifier": "choice"})"),
              HasSubstr("options"));
  EXPECT_THAT(fault(R"({"prompt": " ", "answer": "b"})"), HasSubstr("the prompt is empty"));
  EXPECT_THAT(fault(R"({"problem": "a", "solution": "b"})"), HasSubstr("no \\boxed{…}"));
  EXPECT_THAT(fault(R"({"prompt": "a", "answer": null})"), HasSubstr("there is no \"answer\""));
  EXPECT_THAT(fault(R"({"prompt": "a", "entry_point": "f", "base_input": [], "plus_input": []})"),
              HasSubstr("OriginFmt"));
  EXPECT_THAT(read_rows("/nowhere/x.jsonl").error().message, HasSubstr("cannot be read"));
}

TEST(DataSet, ItsRowsAreItsProblems) {
  const auto set = data_set_environment("sums", rows(R"({"prompt": "1+1?", "answer": 2}
{"prompt": "2+2?", "answer": 4}
{"prompt": "9*9?", "answer": 81, "level": 2})"));
  EXPECT_EQ(set->name(), "sums");
  EXPECT_EQ(set->card().max_level, 2);
  EXPECT_EQ((*set->generate(0, 0))->prompt(), "1+1?");
  EXPECT_EQ((*set->generate(0, 1))->prompt(), "2+2?");
  EXPECT_EQ((*set->generate(1, 1))->prompt(), "2+2?");  // no row has level 1
  EXPECT_EQ((*set->generate(2, 12345))->prompt(), "9*9?");
  EXPECT_FALSE(set->generate(3, 0).has_value());
  std::set<std::string> drawn;
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    const auto problem = set->generate(0, seed);
    EXPECT_EQ((*problem)->prompt(), (*set->generate(0, seed))->prompt());
    drawn.insert((*problem)->prompt());
  }
  EXPECT_EQ(drawn.size(), 2u);
}

TEST(DataSet, TellsHowManyRowsALevelHas) {
  const auto set = data_set_environment("sums", rows(R"({"prompt": "1+1?", "answer": 2}
{"prompt": "2+2?", "answer": 4}
{"prompt": "9*9?", "answer": 81, "level": 2})"));
  EXPECT_EQ(rows_at(*set, 0), 2);
  EXPECT_EQ(rows_at(*set, 1), 0) << "its problems are those of level 0";
  EXPECT_EQ(rows_at(*set, 2), 1);
  EXPECT_EQ(rows_at(*set, 3), 0);
}

TEST(DataSet, ProblemsScoreAndComeBack) {
  std::string text;
  for (const DataSetForm& form : kDataSetForms) text += std::string(form.line) + "\n";
  const auto set = data_set_environment("forms", rows(text));
  for (int level = 0; level <= set->card().max_level; ++level) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto problem = set->generate(level, seed);
      ASSERT_TRUE(problem.has_value());
      EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
      EXPECT_FALSE((*problem)->score("qqq").solved);
      const auto again = set->restore((*problem)->parameter());
      ASSERT_TRUE(again.has_value());
      EXPECT_EQ((*again)->prompt(), (*problem)->prompt());
      EXPECT_TRUE((*again)->score((*problem)->reference()).solved);
    }
  }
}

TEST(DataSet, KeepsThePromisesOfEpisodes) {
  for (const DataSetForm& form : kDataSetForms) {
    SCOPED_TRACE(form.line);
    const auto set = data_set_environment("form", rows(form.line));
    for (const int level : {0, form.level}) {
      for (const std::uint64_t seed : {1, 2})
        expect_sound_episodes(*set, set->address(level, seed));
    }
  }
}

TEST(DataSet, IsLoadedFromAFile) {
  const TestFolder folder;
  const auto file = folder.path() / "tiny.jsonl";
  std::ofstream(file) << kDataSetForms[0].line << "\n\n" << kDataSetForms[1].line << "\n";
  const auto set = load_data_set(file, nullptr);
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_EQ(set->environment->name(), "tiny");
  EXPECT_EQ(set->levels, (std::vector{0, 3}));
  EXPECT_EQ(set->problems, 1);
  EXPECT_FALSE(load_data_set(folder.path() / "none.jsonl", nullptr).has_value());
}

}  // namespace
}  // namespace redqueen::data_sets
