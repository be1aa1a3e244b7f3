#include "redqueen/recipes/evoenv/evoenv_settings.h"

namespace redqueen::evoenv {
namespace {

constexpr auto kReviewRules =
    enum_names<synth::ReviewRule>({{"single", synth::ReviewRule::kSingle},
                                   {"majority", synth::ReviewRule::kMajority},
                                   {"any_reject", synth::ReviewRule::kAnyReject},
                                   {"all_reject", synth::ReviewRule::kAllReject}});

constexpr auto kStreamSimilarities =
    enum_names<synth::StreamSimilarity>({{"within_batch", synth::StreamSimilarity::kWithinBatch},
                                         {"archive", synth::StreamSimilarity::kArchive}});

constexpr auto kSolvedRules = enum_names<synth::SolvedRule>(
    {{"passing", synth::SolvedRule::kPassing}, {"positive", synth::SolvedRule::kPositive}});

void declare_generator(run::Section& section, EvoEnvSettings& evoenv) {
  section.field("seeds", evoenv.seeds,
                {.help = "Folder of the first environments, below configs/ or a path."});
  section.field(
      "longest_seed", evoenv.longest_seed,
      {.help = "Characters; longer ones are left out, for policies of a short context.", .min = 1});
  section.field("prompts", evoenv.prompts,
                {.help = "Folder of generator.txt, review.txt, repair.txt and second_author.txt, "
                         "likewise; a text that no setting asks for may be missing."});
  section.field(
      "text_format", evoenv.text_format,
      {.help = "Prompt format of generator, reviewer and second author, whose answers bear "
               "no marks."});
  section.field("topic", evoenv.topic,
                {.help = "In a few words, what candidates are to be about; empty: anything."});
  section.field(
      "hints", evoenv.hints,
      {.help = "Generator prompts tell which tasks there are, what was refused lately and "
               "why, and a kind that is rare so far, where prompts/generator.txt has "
               "places for it."});
  section.field(
      "most_tokens", evoenv.most_tokens,
      {.help = "The budget of synth grow in tokens, of the prompts and responses of all roles; "
               "it samples nothing more beyond it. 0: no limit.",
       .min = 0});
  section.field("repair", evoenv.repair,
                {.help = "Show the policy why a candidate was refused, and let it mend it once."});
  section.field("generator_prompts", evoenv.generator_prompts, {.help = "In a step.", .min = 1});
  section.field("candidates", evoenv.candidates,
                {.help = "Of one generator prompt (M).", .min = 1});
  section.field("examples", evoenv.examples,
                {.help = "Environments shown in a generator prompt.", .min = 0});
  section.field("generator_tokens", evoenv.generator_tokens,
                {.help = "A candidate is cut here.", .min = 1});
  section.field("generator_weight", evoenv.generator_weight,
                {.help = "Scales the generator's advantages (w_gen).", .min = 0});
  section.field("levels", evoenv.levels,
                {.help = "Of problems for solver and calibration, in equal shares.", .min = 0});
}

void declare_review(run::Section& section, EvoEnvSettings& evoenv) {
  section.field("review", evoenv.review, {.help = "Let the policy read what passed layer 5."});
  section.field("review_samples", evoenv.reviewing.samples,
                {.help = "Of one candidate (K_rev).", .min = 1});
  section.field("review_temperature", evoenv.reviewing.temperature,
                {.help = "0: greedy.", .min = 0});
  section.field("review_tokens", evoenv.reviewing.max_new_tokens,
                {.help = "A review is cut here.", .min = 1});
  section.field("review_problems", evoenv.review_limits.problems,
                {.help = "Problems that a review sees.", .min = 0});
  section.field("review_probes", evoenv.review_limits.probes,
                {.help = "Probes of the scorer that a review sees.", .min = 0});
  section.choice("review_rule", evoenv.reviewing.rule, kReviewRules,
                 "How several verdicts become one.");
  section.field("review_audit", evoenv.review_audit,
                {.help = "Environments of known truth by which the reviews are measured; 0: none.",
                 .min = 0});
  section.field("review_audit_every", evoenv.review_audit_every,
                {.help = "Steps between such audits; the first comes before step 1.", .min = 1});
  section.field("review_guard", evoenv.review_guard,
                {.help = "Admit without a review while its audit is no better than chance."});
}

void declare_second_author(run::Section& section, EvoEnvSettings& evoenv) {
  synth::SecondAuthorSettings& second = evoenv.second;
  section.field(
      "second_author", evoenv.second_author,
      {.help = "Writes programs from the problems of a candidate alone, which refute its "
               "reference or not: none, policy (itself), or another policy (openai:URL, a "
               "folder; of synth grow only)."});
  section.field("second_author_model", evoenv.second_author_model,
                {.help = "The model's name at its endpoint; empty: endpoint.model."});
  section.field("second_author_programs", second.programs,
                {.help = "The number of programs that are written for a candidate (k).", .min = 1});
  section.field("second_author_shown", second.shown,
                {.help = "Problems that a program is written from.", .min = 1});
  section.field("second_author_instances", second.instances,
                {.help = "Further problems that a program is run on.", .min = 4});
  section.field(
      "second_author_levels", second.levels,
      {.help = "The levels of the shown problems and of the instances, taken in turn; small "
               "problems allow slow programs.",
       .min = 0});
  section.field("second_author_temperature", second.temperature, {.help = "0: greedy.", .min = 0});
  section.field("second_author_tokens", second.max_new_tokens,
                {.help = "A program is cut here.", .min = 1});
  section.field("second_author_seconds", second.call_seconds,
                {.help = "Time limit of one answer of a program.", .min = 0.1});
}

void declare_reward(run::Section& section, EvoEnvSettings& evoenv) {
  synth::CalibrationSettings& calibration = evoenv.reward.calibration;
  section.field("calibration_instances", calibration.instances,
                {.help = "Problems of a candidate, one response each (m).", .min = 1});
  section.choice("calibration_counts", calibration.counts, kSolvedRules,
                 "Answers that count as solved there: those that the environment calls right "
                 "(passing), or all of a score above 0 (positive, equation 1).");
  section.field("target_rate", calibration.target_rate,
                {.help = "Share solved that earns most (a*).", .min = 0, .max = 1});
  section.field("rate_spread", calibration.spread,
                {.help = "Width of that bell (sigma_a).", .min = 1e-6});
  section.field("quality", evoenv.reward.quality, {.help = "The reward has its quality half."});
  section.field("diversity", evoenv.reward.diversity, {.help = "The reward has its novelty half."});
}

void declare_novelty(run::Section& section, EvoEnvSettings& evoenv) {
  synth::NoveltySettings& novelty = evoenv.novelty;
  section.field("encoder", evoenv.encoder,
                {.help = "Folder of MiniLM; empty: REDQUEEN_MINILM, or the wheel in .venv."});
  section.field(
      "prompt_share", novelty.prompt_share,
      {.help = "Of the prompt's similarity, beside the code's (lambda).", .min = 0, .max = 1});
  section.field("duplicate", novelty.duplicate,
                {.help = "Candidates of a batch as similar as this count as one.", .min = 0});
  section.field("similarity_gate", evoenv.similarity_gate,
                {.help = "Nothing as similar as this to an admitted one is admitted.", .min = 0});
  section.field("novelty_weight_min", novelty.gamma_min, {.help = "gamma_min.", .min = 0});
  section.field("novelty_weight_max", novelty.gamma_max, {.help = "gamma_max.", .min = 0});
  section.field("similarity_low", novelty.low, {.help = "gamma begins to rise (tau_low)."});
  section.field("similarity_high", novelty.high, {.help = "gamma is at its top (tau_high)."});
  section.field("similarity_decay", novelty.decay,
                {.help = "Of the moving average of similarity.", .min = 0, .max = 1});
  section.field("similarity_initial", novelty.initial_similarity,
                {.help = "That average at the beginning.", .min = 0, .max = 1});
  section.choice("stream_similarity", novelty.stream, kStreamSimilarities,
                 "Of what it is the average: each candidate's largest similarity within its batch "
                 "(equation 4), or to what was admitted before, copies left out.");
  section.field("cluster_threshold", evoenv.cluster_threshold,
                {.help = "Tags less similar than this to those of all clusters begin a new one.",
                 .min = 0,
                 .max = 1,
                 .former = "prototype_threshold"});
}

void declare_pool(run::Section& section, EvoEnvSettings& evoenv) {
  section.field("max_epochs", evoenv.pool.max_epochs,
                {.help = "Steps of use after which an environment retires.", .min = 1});
  section.field("rotation_every", evoenv.pool.rotation_every, {.help = "Steps.", .min = 1});
  section.field("original_floor", evoenv.pool.original_floor,
                {.help = "Share of the first environments in the active pool (rho_min).",
                 .min = 0,
                 .max = 1});
}

void declare_validation(run::Section& section, EvoEnvSettings& evoenv) {
  synth::ValidationOptions& validation = evoenv.validation;
  section.field("layer_seconds", validation.layer_seconds,
                {.help = "Time limit of a layer's process.", .min = 0.1});
  section.field("validation_levels", validation.levels,
                {.help = "Levels at which a candidate is tried.", .min = 0});
  section.field("seeds_per_level", validation.seeds_per_level,
                {.help = "Layers 2 and 3.", .min = 1});
  section.field("variation_seeds", validation.variation_seeds, {.help = "Layer 4.", .min = 2});
  section.field("probed_per_level", validation.probed_per_level, {.help = "Layer 5.", .min = 1});
  section.field(
      "strict_words", validation.strict_words,
      {.help = "Layer 5 refuses statements whose English words the code seems to contradict, "
               "or that are no words; false: it tells the reviewer.",
       .former = "spelling"});
}

}  // namespace

void EvoEnvSettings::declare(run::Settings& settings) {
  run::Section section = settings.section("evoenv", "Environments that the policy writes.");
  declare_generator(section, *this);
  declare_review(section, *this);
  declare_second_author(section, *this);
  declare_reward(section, *this);
  declare_novelty(section, *this);
  declare_pool(section, *this);
  declare_validation(section, *this);
}

}  // namespace redqueen::evoenv
