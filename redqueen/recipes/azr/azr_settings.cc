#include "redqueen/recipes/azr/azr_settings.h"

#include <algorithm>

namespace redqueen::azr {
namespace {

constexpr auto kGradings =
    enum_names<code_tasks::InductionGrading>({{"all", code_tasks::InductionGrading::kAll},
                                              {"fraction", code_tasks::InductionGrading::kFraction},
                                              {"any", code_tasks::InductionGrading::kAny}});
constexpr auto kAggregations =
    enum_names<RewardAggregation>({{"sum", RewardAggregation::kSum},
                                   {"product", RewardAggregation::kProduct},
                                   {"sum_and_product", RewardAggregation::kSumAndProduct},
                                   {"product_of_sums", RewardAggregation::kProductOfSums}});

void declare_sizes(run::Section& section, AzrSettings& azr) {
  section.field(
      "prompts", azr.prompts,
      {.help = "Prompt templates: a folder of configs/azr (prompts, prompts-terse) or a path."});
  section.field("types", azr.types,
                {.help = "Types of tasks that are proposed and solved (table 2 leaves some out).",
                 .choices = {"deduction", "abduction", "induction", "error"}});
  section.field("tasks", azr.tasks, {.help = "A role and type, in a step (B).", .min = 1});
  section.field("rollouts", azr.rollouts,
                {.help = "Answers to a task that the solver trains on.", .min = 1});
  section.field("references", azr.references,
                {.help = "Earlier tasks shown to a proposer (K).", .min = 0, .max = 1000});
  section.field("estimates", azr.estimates,
                {.help = "Answers from which a task's success rate is estimated (n).", .min = 1});
  section.field(
      "reuse_estimates", azr.reuse_estimates,
      {.help = "Train the solver on these answers too, instead of asking for fresh ones."});
  section.field("inputs", azr.inputs, {.help = "Of an induction task (N).", .min = 2, .max = 1000});
  section.field("seed_factor", azr.seed_factor,
                {.help = "Batches of tasks in each buffer before training begins (S).", .min = 0});
  section.field(
      "seed_rounds", azr.seed_rounds,
      {.help = "Rounds of proposing after which seeding goes on with what there is.", .min = 1});
  section.field("strip_seeds", azr.strip_seeds,
                {.help = "Programs found before training lose comments and global variables."});
  section.field("capacity", azr.capacity, {.help = "Tasks in each buffer, at most.", .min = 1});
  section.field("train_proposer", azr.train_proposer,
                {.help = "Off: proposals are made and used, but only the solver learns."});
  section.field("reject_known", azr.reject_known,
                {.help = "A proposed program that its buffer holds already counts as invalid, and "
                         "likewise an induction task."});
  section.field("chance_corrected", azr.chance_corrected,
                {.help = "Proposers earn for what is solved more often than by guessing, estimated "
                         "from random inputs and the outputs in the buffer; the paper pays luck."});
}

void declare_checks(run::Section& section, AzrSettings& azr) {
  section.field("runs", azr.runs,
                {.help = "Runs of a program that must agree (j).", .min = 2, .max = 100});
  section.field(
      "cpu_seconds", azr.cpu_seconds,
      {.help = "CPU limit of one call of a program: the same on a busy machine as on an idle one.",
       .min = 0.01,
       .max = 1e6});
  section.field(
      "task_cpu_seconds", azr.task_cpu_seconds,
      {.help = "CPU of all answers to a task together: each call may take its share of it, "
               "and no more than cpu_seconds. 0: no limit.",
       .min = 0,
       .max = 1e6});
  section.field("wall_seconds", azr.wall_seconds,
                {.help = "Time limit of one call of a program.", .min = 0.01, .max = 1e6});
  section.field(
      "memory_mib", azr.memory_mib,
      {.help = "Memory of a program beyond the interpreter's own.", .min = 8, .max = 1 << 24});
  section.field("max_program_bytes", azr.max_program_bytes,
                {.help = "Longer programs are no tasks.", .min = 1});
  section.field("max_value_bytes", azr.max_value_bytes,
                {.help = "Of an input, an output, a message.", .min = 1});
  section.field(
      "max_prompt_bytes", azr.max_prompt_bytes,
      {.help = "References are left out, and tasks refused, until prompts keep within it.",
       .min = 64});
  section.field("strict_types", azr.strict_types, {.help = "In answers True, 1 and 1.0 differ."});
  section.choice("grading", azr.grading, kGradings,
                 "What the hidden pairs of an induction task earn.");
}

void declare_options(run::Section& section, AzrSettings& azr) {
  section.field("error_tasks", azr.error_tasks,
                {.help = "A fourth type: foresee the exception (appendix D.1)."});
  section.field(
      "composite_share", azr.composite_share,
      {.help = "Share of proposals that must compose earlier programs (D.2).", .min = 0, .max = 1});
  section.field("composite_programs", azr.composite_programs,
                {.help = "Programs to compose, at most.", .min = 1, .max = 100});
  section.field("strip_comments", azr.strip_comments,
                {.help = "Programs lose comments and docstrings (D.5)."});
  section.field(
      "strip_globals", azr.strip_globals,
      {.help = "Programs keep only imports, functions and classes at the top level (D.5)."});
  section.choice("aggregation", azr.aggregation, kAggregations,
                 "How the rewards below join the proposer's own (D.4).");
  section.field("cognitive_weight", azr.cognitive_weight,
                {.help = "Reward for cognitive complexity; 0: off.", .min = 0});
  section.field("halstead_weight", azr.halstead_weight,
                {.help = "Reward for Halstead's volume; 0: off.", .min = 0});
  section.field("distance_weight", azr.distance_weight,
                {.help = "Reward for differing from the references as a tree; 0: off.", .min = 0});
  section.field("diversity_weight", azr.diversity_weight,
                {.help = "Reward for an output that is rare in the buffer; 0: off.", .min = 0});
  section.field("cognitive_scale", azr.cognitive_scale,
                {.help = "Complexity that earns half of its weight.", .min = 1e-6});
  section.field("halstead_scale", azr.halstead_scale, {.help = "Likewise, volume.", .min = 1e-6});
}

}  // namespace

Expected<std::vector<code_tasks::TaskType>> AzrSettings::task_types() const {
  std::vector<std::string> names = types;
  if (error_tasks && std::ranges::count(names, "error") == 0) names.emplace_back("error");
  std::vector<code_tasks::TaskType> wanted;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const auto type, code_tasks::parse_task_type(name));
    if (std::ranges::count(wanted, type) == 0) wanted.push_back(type);
  }
  const bool has_programs = std::ranges::count(wanted, code_tasks::TaskType::kDeduction) +
                                std::ranges::count(wanted, code_tasks::TaskType::kAbduction) >
                            0;
  if (!has_programs) {
    return usage_error(
        "azr.types: {} is not enough; the programs come from tasks of deduction or abduction",
        wanted.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return wanted;
}

void AzrSettings::declare(run::Settings& settings) {
  run::Section section =
      settings.section("azr", "The recipe azr: one policy proposes tasks and solves them.");
  declare_sizes(section, *this);
  declare_checks(section, *this);
  declare_options(section, *this);
}

std::filesystem::path AzrSettings::prompts_folder(const Resources& resources) const {
  const std::filesystem::path path(prompts);
  if (path.has_parent_path()) return path;
  return resources.find("azr" / path);
}

double AzrSettings::call_cpu_seconds() const {
  if (task_cpu_seconds <= 0) return cpu_seconds;
  const int answers = std::max(estimates, rollouts) * code_tasks::kRunsOfAnAnswer;
  return std::min(cpu_seconds, std::max(task_cpu_seconds / answers, 0.01));
}

code_tasks::ProposalOptions AzrSettings::validation() const {
  code_tasks::ProposalOptions options{
      .runs = runs,
      .strip_comments = strip_comments,
      .strip_globals = strip_globals,
      .max_program_bytes = static_cast<std::size_t>(max_program_bytes),
      .max_value_bytes = static_cast<std::size_t>(max_value_bytes)};
  options.limits.cpu_seconds = call_cpu_seconds();
  options.limits.wall_seconds = wall_seconds;
  options.limits.memory_bytes = memory_mib << 20;
  return options;
}

code_tasks::SolvingOptions AzrSettings::solving() const {
  return {.limits = validation().limits, .strict_types = strict_types, .grading = grading};
}

}  // namespace redqueen::azr
