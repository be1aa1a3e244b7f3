#include "redqueen/synth/validation/scorer_contract.h"

#include <gtest/gtest.h>

namespace redqueen::synth {
namespace {

using enum ValidationFault;

// Twelve problems of a sound environment with integer answers: everything but the reference fails.
std::vector<ProbeTable> sound_tables() {
  std::vector<ProbeTable> tables;
  for (int i = 0; i < 12; ++i) {
    const std::string value = std::to_string(100 + 7 * i);
    ProbeTable table{.prompt = "Data " + std::to_string(i * i) + " " + std::to_string(3 * i) + ".",
                     .value = value,
                     .texts = {value},
                     .masked_prompt = {},
                     .masked_texts = {std::to_string(8019 + 7 * i)},
                     .rows = {}};
    table.masked_prompt = table.prompt;
    table.rows.push_back({"reference", "reference", value, 1.0, true, true, "", false});
    for (const char* kind : {"plus_one", "minus_one", "far", "negated"}) {
      table.rows.push_back({"perturbed", kind, "1", 0.0, false, false, "", false});
    }
    for (int j = 0; j < 3; ++j) {
      table.rows.push_back({"foreign", "foreign", "5", 0.0, false, false, "", false});
    }
    for (const auto& [group, kind] : {std::pair{"empty", "empty"},
                                      {"malformed", "word"},
                                      {"type", "list_for_number"},
                                      {"fraction", "fraction"},
                                      {"shotgun", "shotgun"},
                                      {"data", "data"},
                                      {"prompt", "prompt"}}) {
      table.rows.push_back({group, kind, "x", std::nullopt, false, false, "", false});
    }
    table.rows.push_back({"constant", "zero", "0", 0.0, false, false, "", false});
    tables.push_back(std::move(table));
  }
  return tables;
}

// Makes one kind of answer right in the first `problems` tables.
std::vector<ProbeTable> with_passing(std::string_view kind, std::size_t problems) {
  auto tables = sound_tables();
  for (std::size_t i = 0; i < problems; ++i) {
    for (ProbeRow& row : tables[i].rows) {
      if (row.kind != kind) continue;
      row.score = 1.0;
      row.solved = true;
    }
  }
  return tables;
}

TEST(ScorerContract, SoundTablesPass) {
  EXPECT_EQ(check_scorer(sound_tables()).fault, kNone);
  EXPECT_EQ(check_scorer({}).fault, kNone);
}

struct Threshold {
  const char* kind;
  std::size_t passing;  // the fewest problems of twelve that prove the fault
  ValidationFault fault;
};

TEST(ScorerContract, EveryKindHasItsThreshold) {
  const Threshold thresholds[] = {
      {"empty", 3, kAcceptsEmpty},      {"word", 3, kAcceptsMalformed},
      {"prompt", 6, kAcceptsMalformed}, {"list_for_number", 6, kAcceptsWrongType},
      {"zero", 11, kAcceptsAnything},   {"foreign", 7, kAcceptsAnything},
      {"far", 11, kAcceptsNearMisses},  {"fraction", 11, kAcceptsNearMisses},
      {"shotgun", 6, kAcceptsShotgun},  {"data", 10, kAcceptsData},
  };
  for (const auto& [kind, passing, fault] : thresholds) {
    EXPECT_EQ(check_scorer(with_passing(kind, passing)).fault, fault) << kind;
    // One problem less proves nothing; far answers that pass so often are rewarded too much all the
    // same.
    const ValidationFault below = std::string_view(kind) == "far" ? kWrongAnswersRewarded : kNone;
    EXPECT_EQ(check_scorer(with_passing(kind, passing - 1)).fault, below) << kind;
  }
}

// A step up may lead to another right answer of a task that has several; up and down, it is no
// task.
TEST(ScorerContract, OneDirectionIsNoNearMiss) {
  auto tables = with_passing("plus_one", 12);
  EXPECT_EQ(check_scorer(tables).fault, kNone);
  for (ProbeTable& table : tables) {
    for (ProbeRow& row : table.rows) row.solved = row.solved || row.kind == "minus_one";
  }
  EXPECT_EQ(check_scorer(tables).fault, kAcceptsNearMisses);
}

// "[]" where nothing is to be listed.
TEST(ScorerContract, AnEmptyAnswerMayBeRightForOneReference) {
  auto tables = with_passing("empty", 6);
  for (std::size_t i = 0; i < 6; ++i) tables[i].value = "[]";
  EXPECT_EQ(check_scorer(tables).fault, kNone);
}

TEST(ScorerContract, ReadingGarbageAsTheReferenceIsALeak) {
  auto tables = sound_tables();
  for (std::size_t i = 0; i < 6; ++i) {
    for (ProbeRow& row : tables[i].rows) row.same = row.same || row.kind == "word";
  }
  EXPECT_EQ(check_scorer(tables).fault, kParserLeaksReference);
}

TEST(ScorerContract, ReferenceMustHold) {
  auto tables = sound_tables();
  tables[5].rows[0].solved = false;
  EXPECT_EQ(check_scorer(tables).fault, kReferenceRejected);
}

TEST(ScorerContract, PromptThatFollowsTheReferenceLeaks) {
  auto tables = sound_tables();
  for (ProbeTable& table : tables) {
    table.prompt += fmt::format(" {} or {}?", table.texts[0], table.value + "1");
    table.masked_prompt = fmt::format("… {}?", table.masked_texts[0]);
  }
  EXPECT_EQ(check_scorer(tables).fault, kReferenceInPrompt);
}

// That the prompt changes with the reference is no leak as long as it does not show it (its length,
// say).
TEST(ScorerContract, PromptMayDependOnTheReference) {
  auto tables = sound_tables();
  for (ProbeTable& table : tables) table.masked_prompt = "another text";
  EXPECT_EQ(check_scorer(tables).fault, kNone);
}

TEST(ScorerContract, AnswerAtAFixedPlaceLeaks) {
  auto tables = sound_tables();
  for (ProbeTable& table : tables) table.prompt += " Hint: " + table.value + ". Now add them.";
  EXPECT_EQ(check_scorer(tables).fault, kReferenceInPrompt);
}

// The largest number of a list is always shown, each time elsewhere; and not as part of a longer
// number.
TEST(ScorerContract, AnswerAmongTheDataIsNoLeak) {
  auto tables = sound_tables();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i].prompt += fmt::format(" List: {}, {}, {}.", i * 5, tables[i].value, i * 11 + 3);
    tables[i].prompt += fmt::format(" Hint: 1{}0. Now.", tables[i].value);
  }
  EXPECT_EQ(check_scorer(tables).fault, kNone);
}

TEST(ScorerContract, ForgedTablesAreErrors) {
  const std::vector<SampleProblem> one(1);
  for (const char* text : {"{}", "[]", "null", R"({"tables": []})", R"({"tables": [{}]})",
                           R"({"tables": [{"value": 3}]})", R"({"tables": 7})"}) {
    EXPECT_FALSE(read_probe_tables(*parse_json(text), one).has_value()) << text;
  }
}

}  // namespace
}  // namespace redqueen::synth
