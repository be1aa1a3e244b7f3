// Programs run, repeat, keep to their types, grow with the level, and are of one split only.
#include "redqueen/code_tasks/program_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "redqueen/code_tasks/syntax.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

constexpr int kPrograms = 40;

std::vector<ProgramPlace> places(int level, std::uint64_t salt = 3) {
  std::vector<ProgramPlace> list;
  for (int i = 0; i < kPrograms; ++i) list.push_back({level, static_cast<std::uint64_t>(i), salt});
  return list;
}

std::vector<RandomProgram> programs(int level, const ProgramOptions& options = {}) {
  std::vector<RandomProgram> list;
  for (auto& program : draw_programs(sandbox::shared_sandbox(), places(level), options)) {
    EXPECT_TRUE(program) << "level " << level;
    if (program) list.push_back(std::move(*program));
  }
  return list;
}

ProgramDraft draft(int level, std::uint64_t seed) {
  Rng rng({.seed = 11, .index = seed, .salt = static_cast<std::uint64_t>(level)});
  for (;;) {
    if (auto drawn = draft_program(level, 6, rng)) return *drawn;
  }
}

TEST(ProgramGenerator, ExamplesAreWhatTheProgramReturnsInAChildOfItsOwn) {
  for (int level = 0; level <= kMaxProgramLevel; level += 2) {
    for (const RandomProgram& program : programs(level)) {
      sandbox::Batch batch{.program = {.source = program.source, .hash_seed = 12345}, .calls = {}};
      for (const ProgramExample& example : program.examples)
        batch.calls.push_back(sandbox::Call::literal("f", example.input));
      const auto outcomes = sandbox::shared_sandbox().run(batch);
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        ASSERT_TRUE(outcomes[i].ok()) << program.source << "\n" << outcomes[i].message;
        EXPECT_EQ(outcomes[i].value, program.examples[i].output) << program.source;
      }
    }
  }
}

TEST(ProgramGenerator, DrawsTheSameProgramWhateverIsDrawnWithIt) {
  const auto all = draw_programs(sandbox::shared_sandbox(), places(3), {});
  for (const std::size_t i : {0, 7, 31}) {
    const ProgramPlace place = places(3)[i];
    const auto alone = draw_programs(sandbox::shared_sandbox(), {&place, 1}, {});
    ASSERT_TRUE(all[i] && alone[0]);
    EXPECT_EQ(all[i]->source, alone[0]->source);
    EXPECT_EQ(all[i]->message, alone[0]->message);
    ASSERT_EQ(all[i]->examples.size(), alone[0]->examples.size());
    EXPECT_EQ(all[i]->examples[0].input, alone[0]->examples[0].input);
    EXPECT_EQ(all[i]->examples[0].output, alone[0]->examples[0].output);
  }
}

// What Python itself says of the types of arguments and value.
// One that does not would take along all programs that share its child.
TEST(ProgramGenerator, WritesProgramsThatParse) {
  constexpr std::uint64_t kDrafts = 800;
  std::vector<SyntaxQuery> queries;
  for (std::uint64_t seed = 0; seed < kDrafts; ++seed)
    queries.push_back({.source = draft(kMaxProgramLevel, seed).source});
  const auto reports = inspect_programs(sandbox::shared_sandbox(), queries);
  for (std::size_t i = 0; i < reports.size(); ++i)
    EXPECT_EQ(reports[i].fault, "") << queries[i].source;
}

TEST(ProgramGenerator, KeepsToItsTypes) {
  const std::map<char, std::string> tests{
      {'I', "type({0}) is int"},
      {'B', "type({0}) is bool"},
      {'S', "type({0}) is str"},
      {'L', "type({0}) is list and all(type(i) is int for i in {0})"},
      {'W', "type({0}) is list and all(type(i) is str for i in {0})"},
      {'T', "type({0}) is tuple and len({0}) == 2 and all(type(i) is int for i in {0})"},
      {'D',
       "type({0}) is dict and all(type(k) is str and type(v) is int for k, v in {0}.items())"}};
  std::set<char> seen;
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      const ProgramDraft drawn = draft(level, seed);
      std::string expression;
      std::string names;
      for (std::size_t i = 0; i < drawn.argument_types.size(); ++i) {
        const std::string name(1, static_cast<char>('x' + i));
        names += (i > 0 ? ", " : "") + name;
        expression +=
            "(" + fmt::format(fmt::runtime(tests.at(drawn.argument_types[i])), name) + ") and ";
        seen.insert(drawn.argument_types[i]);
      }
      seen.insert(drawn.return_type);
      const std::string returned = fmt::format(fmt::runtime(tests.at(drawn.return_type)), "v");
      const std::string source = fmt::format(
          "{}\ndef check({}):\n    assert {} True\n    try:\n        v = f({})\n    except "
          "Exception "
          "as e:\n        return type(e).__name__\n    return {}\n",
          drawn.source, names, expression, names, returned);
      for (const std::string& input : drawn.inputs) {
        const sandbox::Outcome outcome = sandbox::evaluate(source, fmt::format("check({})", input));
        ASSERT_TRUE(outcome.ok()) << source << "\n" << input << "\n" << outcome.message;
        EXPECT_THAT(outcome.value, testing::AnyOf("True", "'IndexError'", "'ValueError'"))
            << source << "\n"
            << input;
      }
    }
  }
  EXPECT_EQ(seen.size(), tests.size());
}

TEST(ProgramGenerator, UsesEveryArgumentAndDependsOnThem) {
  for (const int level : {0, 1, 3, 5}) {
    for (const RandomProgram& program : programs(level)) {
      std::set<std::string> outputs;
      for (const ProgramExample& example : program.examples) outputs.insert(example.output);
      EXPECT_GT(outputs.size(), 1U) << program.source;
      const std::string_view source = program.source;
      const std::size_t close = source.find(')');
      for (std::size_t at = source.find('(') + 1; at < close; at += 3)
        EXPECT_NE(source.find(source[at], close), std::string_view::npos) << source;
    }
  }
}

TEST(ProgramGenerator, GrowsWithTheLevel) {
  double before = 0;
  for (int level = 0; level <= kMaxProgramLevel; ++level) {
    double bytes = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
      bytes += static_cast<double>(draft(level, seed).source.size());
    EXPECT_GT(bytes, before) << "level " << level;
    before = bytes;
  }
}

TEST(ProgramGenerator, KeepsOutputsAndSourcesWithinTheirBounds) {
  const ProgramOptions options{.max_output_bytes = 12, .max_source_bytes = 120};
  for (const RandomProgram& program : programs(3, options)) {
    EXPECT_LE(program.source.size(), 120U);
    EXPECT_GE(program.examples.size(), 4U);
    for (const ProgramExample& example : program.examples) EXPECT_LE(example.output.size(), 12U);
  }
}

// Names become A, B, … in the order in which they appear.
std::string without_names(const std::string& source) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string names;
  std::string text = " " + source + " ";
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char c = text[i];
    const bool in_quotes = text[i - 1] == '\'';
    if (!is_letter(c) || is_letter(text[i - 1]) || is_letter(text[i + 1]) || in_quotes) continue;
    if (std::string_view("abceikvwf").find(c) != std::string_view::npos) continue;
    if (names.find(c) == std::string::npos) names += c;
    text[i] = static_cast<char>('A' + names.find(c));
  }
  return text;
}

// The same program under other names is the same program.
TEST(ProgramSplit, DoesNotDependOnNames) {
  std::map<std::string, std::set<std::uint64_t>> skeletons;
  std::set<std::string> sources;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const ProgramDraft drawn = draft(2, seed);
    sources.insert(drawn.source);
    skeletons[without_names(drawn.source)].insert(drawn.skeleton);
  }
  EXPECT_GT(sources.size(), skeletons.size());
  for (const auto& [source, found] : skeletons) EXPECT_EQ(found.size(), 1U) << source;
}

TEST(ProgramSplit, HoldsOutAnEighth) {
  int held_out = 0;
  constexpr int kDrafts = 3000;
  for (std::uint64_t seed = 0; seed < kDrafts; ++seed)
    held_out += split_of(draft(4, seed)) == ProgramSplit::kHeldOut;
  EXPECT_NEAR(held_out, kDrafts / 8.0, 5 * 18);  // five deviations of the binomial
}

TEST(ProgramSplit, IsKeptByTheDraw) {
  std::set<std::string> training;
  std::set<std::string> held_out;
  for (const RandomProgram& program : programs(1)) training.insert(program.source);
  for (const RandomProgram& program : programs(1, {.split = ProgramSplit::kHeldOut}))
    held_out.insert(program.source);
  for (const std::string& source : held_out) EXPECT_FALSE(training.contains(source)) << source;
}

}  // namespace
}  // namespace redqueen::code_tasks
