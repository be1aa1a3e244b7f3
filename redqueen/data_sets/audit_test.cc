#include "redqueen/data_sets/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "redqueen/base/testing/folder.h"
#include "redqueen/data_sets/data_set.h"
#include "redqueen/data_sets/rewritings.h"

namespace redqueen::data_sets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::shared_ptr<sandbox::SandboxService>& audit_sandbox() {
  static const auto shared =
      std::make_shared<sandbox::SandboxService>(sandbox::SandboxConfig{.workers = 2});
  return shared;
}

Audit audit_of(std::string_view text, const AuditOptions& options = {}) {
  const auto audit = audit_rows(scan_rows(text), audit_sandbox(), options);
  EXPECT_TRUE(audit) << audit.error().message;
  return audit ? *audit : Audit{};
}

std::vector<std::string> faults_of(const Audit& audit) {
  std::vector<std::string> texts;
  for (const RowFault& fault : audit.faults)
    texts.push_back(fmt::format("{} {}", fault.line, kRowFaultNames.name(fault.kind)));
  return texts;
}

std::set<std::string> texts_of_rewritings(VerifierKind kind, std::string answer,
                                          std::vector<std::string> options = {}) {
  std::set<std::string> texts;
  for (const Rewriting& one :
       rewritings({.kind = kind, .answer = std::move(answer), .options = std::move(options)}))
    texts.insert(one.text);
  return texts;
}

TEST(Rewritings, KeepTheValue) {
  using ::testing::Contains;
  using ::testing::Not;
  const auto math = [](const char* text) { return texts_of_rewritings(VerifierKind::kMath, text); };
  EXPECT_THAT(math("\\frac{3}{8}"), Contains("3/8"));
  EXPECT_THAT(math("\\frac{3}{8}"), Contains("0.375"));
  EXPECT_THAT(math("-\\dfrac{21}{20}"), Contains("-1.05"));
  EXPECT_THAT(math("-7/2"), Contains("-\\frac{7}{2}"));
  EXPECT_THAT(math("1/3"), Not(Contains(HasSubstr("0."))));
  EXPECT_THAT(math("-12345"), Contains("-12,345"));
  EXPECT_THAT(math("123"), Not(Contains(HasSubstr(","))));
  EXPECT_THAT(math("\\left(1,\\leftarrow\\right]"), Contains("(1,\\leftarrow]"));
  EXPECT_THAT(math("\\{1, (2, 3), 4\\}"), Contains("\\{4, (2, 3), 1\\}"));
  EXPECT_THAT(math("\\{x \\mid x > 3, x < 4\\}"), Not(Contains(HasSubstr("x < 4, x"))));
  EXPECT_THAT(texts_of_rewritings(VerifierKind::kNumber, "1,234"), Contains("1234"));
  EXPECT_THAT(texts_of_rewritings(VerifierKind::kChoice, "B", {"x", "y"}),
              UnorderedElementsAre("b", "(B)", "\\boxed{B}", "B) y"));
  EXPECT_THAT(texts_of_rewritings(VerifierKind::kTests, "print(1)"), IsEmpty());
}

constexpr const char* kRows = R"row({"prompt": "Half?", "answer": "\\frac{1}{2}", "id": "a"}
{"prompt": "Two?", "answer": "2"}

{"prompt": "Broken", "answer": ""}
{"prompt": "Add.", "verifier": "tests", "tests": {"code": "assert add(1, 2) == 3"}, "answer": "def add(a, b):\n    return a - b", "id": "wrong"}
{"prompt": "Add!", "verifier": "tests", "tests": {"code": "assert add(1, 2) == 3"}, "answer": "def add(a, b):\n    return a + b"}
{"prompt": "Add?", "verifier": "tests", "tests": {"code": "assert add(1, 2) == 3"}}
{"prompt": "Print.", "verifier": "tests", "tests": {"cases": [{"input": "", "output": "1"}]}, "answer": "print(2)"}
{"code": "def f(x):\n    return x", "input": "1", "output": "1"}
{"code": "def f(x):\n    return open", "input": "1", "output": "open(1)"}
{"prompt": "Two?", "answer": "2"}
{"prompt": "Two?", "answer": "3"}
{"prompt": "Who?", "answer": "Paris, France", "verifier": "choice", "options": ["Paris, France", "Rome"]})row";

TEST(Audit, NamesRowsThatTheRightAnswerDoesNotEarn) {
  const Audit audit = audit_of(kRows);
  EXPECT_THAT(faults_of(audit), ElementsAre("4 unread", "5 reference", "7 inside", "8 reference",
                                            "10 answer", "11 duplicate", "12 conflict"));
  EXPECT_EQ(audit.rows, 12U);
  EXPECT_EQ(audit.earned, 8U);
  EXPECT_EQ(audit.untested, 1U);
  EXPECT_EQ(audit.faults[1].id, "wrong");
  EXPECT_THAT(to_string(audit.faults[1]), HasSubstr("line 5 (wrong): its own program"));
  EXPECT_THAT(to_string(audit.faults[1]), HasSubstr("AssertionError"));
  EXPECT_THAT(summary(audit), HasSubstr("8 of 12 rows (66.7 %)"));
  const auto again = audit_from_json(to_json(audit));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->faults, audit.faults);
  EXPECT_EQ(again->earned, audit.earned);
  EXPECT_FALSE(audit_from_json(Json::array()));
}

TEST(Audit, LooksAtSoManyRowsAndTellsHowFarItIs) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += fmt::format(R"({{"prompt": "{}?", "answer": "{}"}})", i, i) + "\n";
  std::vector<std::size_t> told;
  const Audit audit = audit_of(
      text,
      {.most_rows = 10, .progress = [&](std::size_t done, std::size_t) { told.push_back(done); }});
  EXPECT_EQ(audit.audited, 10U);
  EXPECT_EQ(audit.rows, 50U);
  EXPECT_EQ(told.back(), 10U);
  EXPECT_THAT(summary(audit), HasSubstr("the file has 50"));
}

TEST(Audit, HappensOnceAFile) {
  const TestFolder folder;
  const auto rows = scan_rows(kRows);
  int looks = 0;
  const AuditOptions options{.progress = [&](std::size_t, std::size_t) { ++looks; }};
  const auto first = cached_audit(kRows, rows, audit_sandbox(), options, folder / "cache");
  ASSERT_TRUE(first);
  const int before = looks;
  EXPECT_GT(before, 0);
  const auto second = cached_audit(kRows, rows, audit_sandbox(), options, folder / "cache");
  ASSERT_TRUE(second);
  EXPECT_EQ(looks, before);
  EXPECT_EQ(second->faults, first->faults);
  // Another text is another file, and a broken cache is none.
  for (const auto& file : std::filesystem::directory_iterator(folder / "cache"))
    write_file(file.path(), "{");
  ASSERT_TRUE(cached_audit(kRows, rows, audit_sandbox(), options, folder / "cache"));
  EXPECT_GT(looks, before);
}

TEST(Audit, DecidesWhatBecomesOfUnsoundRows) {
  const TestFolder folder;
  write_file(folder / "set.jsonl", R"row({"prompt": "1+1?", "answer": "2"}
{"prompt": "Print.", "verifier": "tests", "tests": {"cases": [{"input": "", "output": "1"}]}, "answer": "print(2)"})row");
  std::string said;
  const auto load = [&](Unsound unsound) {
    said.clear();
    return load_data_set(folder / "set.jsonl", audit_sandbox(),
                         {.unsound = unsound,
                          .audited = true,
                          .report = [&](const std::string& text) { said += text; }});
  };
  const auto kept = load(Unsound::kKeep);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->problems, 2);
  EXPECT_THAT(said, HasSubstr("line 2: its own program fails its tests"));
  EXPECT_THAT(said, HasSubstr("these rows stay"));
  const auto skipped = load(Unsound::kSkip);
  ASSERT_TRUE(skipped) << skipped.error().message;
  EXPECT_EQ(skipped->problems, 1);
  EXPECT_THAT(said, HasSubstr("left out"));
  EXPECT_THAT(load(Unsound::kRefuse).error().message, HasSubstr("line 2"));
  write_file(folder / "set.jsonl", R"({"prompt": "1+1?", "answer": "2"})");
  ASSERT_TRUE(load(Unsound::kRefuse));
  EXPECT_EQ(said, "");
}

TEST(Verifier, HasTheToleranceOfItsRow) {
  const auto row = [](const char* text) { return parse_rows(text, "rows.jsonl"); };
  const auto absolute =
      row(R"({"prompt": "p", "answer": "3.14", "verifier": "number", "tolerance": 0.01})");
  ASSERT_TRUE(absolute) << absolute.error().message;
  const Verifier& number = absolute->front().verifier;
  EXPECT_TRUE(verify(number, "3.15").solved);  // the bound itself
  EXPECT_TRUE(verify(number, "3.13").solved);
  EXPECT_FALSE(verify(number, "3.1500001").solved);
  EXPECT_EQ(ground_of(number, "3.15"), Ground::kTolerance);
  EXPECT_EQ(ground_of(number, "3.140"), Ground::kExact);
  const auto relative = row(
      R"({"prompt": "p", "answer": "-100\\pi", "tolerance": {"relative": 0.001, "absolute": null}})");
  ASSERT_TRUE(relative) << relative.error().message;
  const Verifier& math = relative->front().verifier;
  EXPECT_TRUE(verify(math, "-314.16").solved);
  EXPECT_TRUE(verify(math, "x = -314.4").solved);
  EXPECT_FALSE(verify(math, "-314.5").solved);
  EXPECT_FALSE(verify(math, "314.16").solved);
  EXPECT_FALSE(verify(math, "y").solved);
  EXPECT_EQ(ground_of(math, "-314.16"), Ground::kTolerance);
  EXPECT_EQ(to_json(*read_row(to_json(relative->front()))), to_json(relative->front()));
  for (const char* wrong : {"0", "-1", "\"0.1\"", "{}", "{\"relativ\": 1}", "{\"relative\": 0}"}) {
    const auto read =
        row(fmt::format(R"({{"prompt": "p", "answer": "1", "tolerance": {}}})", wrong).c_str());
    ASSERT_FALSE(read) << wrong;
    EXPECT_THAT(read.error().message, HasSubstr("\"tolerance\""));
  }
  EXPECT_FALSE(row(R"({"prompt": "p", "answer": "a", "verifier": "exact", "tolerance": 1})"));
}

}  // namespace
}  // namespace redqueen::data_sets
