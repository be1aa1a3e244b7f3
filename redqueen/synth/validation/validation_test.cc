#include "redqueen/synth/validation/validation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "redqueen/base/rng.h"
#include "redqueen/synth/testing/sandbox.h"
#include "redqueen/synth/validation/layer_audit.h"

namespace redqueen::synth {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Short, so that endless candidates do not hold the tests up; the others need a fraction of a
// second.
ValidationOptions quick() {
  ValidationOptions options;
  options.layer_seconds = 10;
  return options;
}

std::vector<ZooAnimal> zoo(const std::string& folder = "redqueen/synth/zoo") {
  auto animals = read_zoo(folder);
  EXPECT_TRUE(animals) << animals.error().message;
  return animals.value_or(std::vector<ZooAnimal>{});
}

std::vector<ValidationReport> expect_not_misjudged(const std::vector<ZooAnimal>& animals,
                                                   const ValidationOptions& options,
                                                   bool without_remarks = true) {
  std::vector<std::string> sources;
  for (const ZooAnimal& animal : animals) sources.push_back(animal.source);
  auto reports = validate(shared_sandbox(), sources, options);
  EXPECT_EQ(reports.size(), animals.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].code(), animals[i].expected)
        << animals[i].name << ": " << reports[i].sentence;
    EXPECT_EQ(reports[i].sound(), reports[i].sentence.empty()) << animals[i].name;
    if (reports[i].sound() && without_remarks) {
      EXPECT_EQ(reports[i].remarks.empty(), animals[i].remark.empty())
          << animals[i].name << ": " << fmt::format("{}", fmt::join(reports[i].remarks, " | "));
    }
  }
  return reports;
}

TEST(Zoo, NoneIsMisjudged) { expect_not_misjudged(zoo(), quick()); }

// docs/evoenv.md has the table that `redqueen synth audit-layers redqueen/synth/zoo/subtle` prints.
TEST(Zoo, TheSubtleOnesAreJudgedAsThePageSays) {
  const auto animals = zoo("redqueen/synth/zoo/subtle");
  const auto reports = expect_not_misjudged(animals, quick());
  EXPECT_THAT(read_source("docs/evoenv.md"), HasSubstr(layer_table(animals, reports)));
}

// What is a remark otherwise.
TEST(Zoo, StrictWordsRefuse) {
  auto animals = zoo("redqueen/synth/zoo/subtle");
  std::erase_if(animals, [](const ZooAnimal& animal) { return animal.remark.empty(); });
  EXPECT_GE(animals.size(), 20U);
  for (ZooAnimal& animal : animals) animal.expected = fmt::format("L5 {}", animal.remark);
  ValidationOptions options = quick();
  options.strict_words = true;
  options.levels = {0, 2, 8};
  options.seeds_per_level = 2;
  options.variation_seeds = 5;
  expect_not_misjudged(animals, options);
}

// Sixty and more sound candidates in the styles of other authors: functional code, recursion, class
// constants, other languages, the interface that hands its problem on, several right answers.
TEST(Zoo, NoForeignStyleIsRefused) {
  const auto animals = zoo("redqueen/synth/zoo/foreign");
  EXPECT_GE(animals.size(), 60U);
  ValidationOptions options = quick();
  options.levels = {0, 6};
  options.seeds_per_level = 2;
  options.variation_seeds = 4;
  const auto reports = expect_not_misjudged(animals, options, false);
  // A remark is no refusal; still, most of what is sound should have none.
  const auto remarked = std::ranges::count_if(
      reports, [](const ValidationReport& report) { return !report.remarks.empty(); });
  EXPECT_LE(6 * remarked, std::ssize(reports));
}

TEST(Zoo, SubtleOnesAreSoundAndFaultyInEqualParts) {
  const auto animals = zoo("redqueen/synth/zoo/subtle");
  const auto faulty = std::ranges::count_if(animals, &ZooAnimal::is_faulty);
  EXPECT_GE(animals.size(), 60U);
  EXPECT_NEAR(static_cast<double>(faulty) / static_cast<double>(animals.size()), 0.5, 0.05);
}

TEST(Zoo, CoversEveryLayerAndFault) {
  std::map<std::string, int> counts;
  for (const ZooAnimal& animal : zoo()) ++counts[animal.expected];
  int animals = 0;
  for (const auto& [code, count] : counts) animals += count;
  EXPECT_GE(animals, 60);
  EXPECT_GE(counts["sound"], 20);
  for (const ZooAnimal& animal : zoo("redqueen/synth/zoo/subtle"))
    ++counts[animal.remark.empty() ? animal.expected : animal.remark];
  std::set<std::string> shown;
  for (const auto& [code, count] : counts) shown.insert(code.substr(code.find(' ') + 1));
  // No program of the zoo can bring these about by its text alone.
  const std::set<std::string> elsewhere{"none", "no_code", "crashed", "refused"};
  for (int i = 0; i <= static_cast<int>(ValidationFault::kHiddenParameter); ++i) {
    const std::string name(name_of(static_cast<ValidationFault>(i)));
    EXPECT_TRUE(shown.contains(name) || elsewhere.contains(name)) << name;
  }
}

TEST(LayerAudit, CountsByLayer) {
  const std::vector<ZooAnimal> animals{{"a", "", "L2 raises", true, ""},
                                       {"b", "", "L2 raises", false, ""},
                                       {"c", "", "sound", true, "wording_differs"},
                                       {"d", "", "sound", false, ""},
                                       {"e", "", "L5 exact_float", true, ""}};
  std::vector<ValidationReport> reports(5);
  reports[0].layer = reports[1].layer = 1;
  reports[2].layer = reports[3].layer = 5;
  reports[4].layer = 4;
  reports[1].remarks = reports[2].remarks = {"A doubt."};  // of what was refused, none counts
  EXPECT_EQ(layer_table(animals, reports),
            "| layer | refused | of them faulty | precision | recall so far |\n"
            "| --- | --- | --- | --- | --- |\n"
            "| L1 | 0 | 0 | – | 0 % |\n"
            "| L2 | 2 | 1 | 50 % | 33 % |\n"
            "| L3 | 0 | 0 | – | 33 % |\n"
            "| L4 | 0 | 0 | – | 33 % |\n"
            "| L5 | 1 | 1 | 100 % | 67 % |\n"
            "| all 5, 3 of them faulty | 3 | 2 | 67 % | 67 % |\n"
            "| passed with a remark | 1 | 1 | 100 % | 100 % |\n");
}

TEST(Validation, EmptySourceIsNoCode) {
  EXPECT_EQ(validate(shared_sandbox(), std::string(" \n ")).code(), "L1 no_code");
}

TEST(Validation, NamesTheLine) {
  const std::string source = seed_source("sorting");
  std::string broken = source;
  broken.insert(broken.find("    def _process"), "    x = = 1\n\n");
  const auto line =
      std::count(source.begin(),
                 source.begin() + static_cast<std::ptrdiff_t>(source.find("    def _process")),
                 '\n') +
      1;
  const ValidationReport report = validate(shared_sandbox(), broken);
  EXPECT_EQ(report.code(), "L1 syntax");
  EXPECT_EQ(report.line, line);
  EXPECT_THAT(report.sentence, StartsWith(fmt::format("line {}: ", line)));
}

TEST(Validation, NamesTheLineOfAnException) {
  std::string source = seed_source("sorting");
  const std::string_view statement = "        return parse_int_list(response)\n";
  const std::size_t at = source.find(statement);
  source.replace(at, statement.size(), "        return 1 // 0\n");
  const ValidationReport report = validate(shared_sandbox(), source);
  EXPECT_EQ(report.code(), "L2 raises");
  EXPECT_EQ(report.line,
            std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
  EXPECT_THAT(report.sentence, HasSubstr("ZeroDivisionError"));
}

TEST(Validation, TimeoutSaysWhereItStopped) {
  ValidationOptions options;
  options.layer_seconds = 1;
  const ValidationReport report = validate(
      shared_sandbox(), read_source("redqueen/synth/zoo/unbounded_generation.py"), options);
  EXPECT_EQ(report.code(), "L2 timeout");
  EXPECT_THAT(report.sentence, HasSubstr("difficulty"));
}

// The same judgement, problems and probes however many are validated at once.
TEST(Validation, IsDeterministic) {
  const std::vector<std::string> sources{seed_source("bridge"), seed_source("euclid_game"),
                                         read_source("redqueen/synth/zoo/permissive_float.py")};
  const auto together = validate(shared_sandbox(), sources);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ValidationReport alone = validate(shared_sandbox(), sources[i]);
    alone.seconds = together[i].seconds;
    EXPECT_EQ(dump_json(to_json(alone)), dump_json(to_json(together[i])));
  }
}

TEST(Validation, ReportsEvidence) {
  const ValidationReport report = validate(shared_sandbox(), seed_source("subset_sum"));
  ASSERT_TRUE(report.sound()) << report.sentence;
  EXPECT_EQ(report.class_name, "SubsetSum");
  EXPECT_THAT(report.prompt_template, HasSubstr("{target}"));
  EXPECT_EQ(report.samples.size(), 18U);
  EXPECT_EQ(report.probed.size(), 12U);
  bool wrong_was_tried = false;
  for (const ProbeResult& probe : report.probes) {
    if (probe.group == "reference") {
      EXPECT_TRUE(probe.solved);
    }
    wrong_was_tried =
        wrong_was_tried || (probe.group == "perturbed" && probe.parsed && !probe.solved);
  }
  EXPECT_TRUE(wrong_was_tried);
  const Json json = to_json(report);
  EXPECT_EQ(json["layer"], 5);
  EXPECT_EQ(json["fault"], "none");
  EXPECT_EQ(json["samples"].size(), 6U);
}

TEST(Validation, AcceptsTheTenSeeds) {
  std::vector<std::string> sources;
  for (const auto& path : python_files("configs/evoenv/seeds"))
    sources.push_back(read_source(path));
  ASSERT_EQ(sources.size(), 10U);
  for (const ValidationReport& report : validate(shared_sandbox(), sources)) {
    EXPECT_EQ(report.code(), "sound") << report.class_name << ": " << report.sentence;
  }
}

// Text that is no Python at all must come out as a fault of layer 1, whatever it is.
TEST(Validation, MeetsRandomBytes) {
  Rng rng(RandomAddress{.purpose = hash_name("validation test")});
  std::vector<std::string> sources;
  const std::string seed = seed_source("fibonacci");
  for (int i = 0; i < 60; ++i) {
    std::string source;
    if (i % 2 == 0) {
      for (std::uint64_t n = rng.below(200); n > 0; --n)
        source += static_cast<char>(rng.below(256));
    } else {
      source = seed.substr(0, rng.below(seed.size() / 2));
      source += static_cast<char>(rng.below(256));
    }
    sources.push_back(std::move(source));
  }
  sources.push_back(std::string(100000, '('));
  sources.push_back("x = " + std::string(20000, '-') + "1");
  sources.push_back(std::string("class A(VerifiableEnvironment):\n    x = '\0'", 44));
  for (const ValidationReport& report : validate(shared_sandbox(), sources, quick())) {
    EXPECT_EQ(report.layer, 0);
    EXPECT_FALSE(report.sentence.empty());
  }
}

}  // namespace
}  // namespace redqueen::synth
