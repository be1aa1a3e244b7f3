// Measures how new an environment is against those admitted before it, and what that is worth now
// (EvoEnv section 3.3, equations 3 and 4).
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/synth/novelty/novelty_text.h"
#include "redqueen/text/text_encoder.h"

namespace redqueen::synth {

// The similarity of which s̄ is the moving average.
enum class StreamSimilarity {
  // "within-batch maximum similarity", equation 4: the mean, over a batch's candidates, of the
  // largest pair_similarity() to another candidate of the batch. Copies raise it.
  kWithinBatch,
  // The mean, over a batch's candidates that are no duplicates, of sim: how near the batch comes to
  // what was admitted before.
  kArchive,
};

struct NoveltySettings {
  double prompt_share = 0.5;  // λ of equation 3
  double duplicate = 0.8;     // two candidates of one batch as near as this count as one
  double gamma_min = 2.0;     // γ while the stream is diverse
  double gamma_max = 5.0;     // γ once it repeats itself
  StreamSimilarity stream = StreamSimilarity::kWithinBatch;
  double low = 0.45;   // τ_low
  double high = 0.65;  // τ_high
  double decay = 0.6;  // of the moving average s̄: s̄ ← decay·s̄ + (1 − decay)·s
  double initial_similarity = 0.5;  // s̄ at the beginning
};

// The embeddings of an environment's two views.
struct Views {
  Embedding prompt;  // u, of the prompt template
  Embedding code;    // v, of the cleaned body of _generate
};

// Both embeddings of every text, in their order.
std::vector<Views> embed_views(const TextEncoder& model, std::span<const NoveltyText> texts);

// cos(a, b) of embeddings of length 1.
double cosine(const Embedding& a, const Embedding& b);

// λ cos(u, u') + (1 − λ) cos(v, v').
double pair_similarity(const Views& a, const Views& b, double prompt_share);

// The caches C_p and C_c: the views of every environment admitted so far, in order.
class NoveltyArchive {
 public:
  // The embeddings of all entries have the same dimension.
  void add(std::string name, Views views);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Views>& views() const { return views_; }

  // sim of equation 3. The two maxima may come from different environments. 0 if the archive is
  // empty. May be negative, as cosines may.
  double similarity(const Views& views, double prompt_share) const;

  // One safetensors file; equal bits come back. Loading fails, with the reason, for a file that is
  // cut short or of another kind.
  Status save(const std::filesystem::path& file) const;
  static Expected<NoveltyArchive> load(const std::filesystem::path& file);

 private:
  std::vector<std::string> names_;
  std::vector<Views> views_;
};

// The novelty of one candidate of a batch.
struct CandidateNovelty {
  double similarity = 0;                    // sim
  double novelty = 1;                       // N = 1 − sim
  std::optional<std::size_t> duplicate_of;  // the candidate of the batch that stands for it
  std::optional<double> largest_in_batch;   // pair_similarity() to the nearest other candidate
};

// Every candidate against the archive as it was before the batch. In-batch duplicates are found
// first: candidates are taken in the order of the layers of validation that they passed, most of
// them first, and on equal terms in the order of the batch. One is a duplicate if its
// pair_similarity() to one that was taken before, and is none itself, reaches settings.duplicate,
// and names the nearest of these, on equal terms the first taken. So the best-validated of several
// near copies stands for all of them. A duplicate's sim is at least that similarity, so that copies
// of something new earn the bonus once. Admission refuses duplicates (generator_reward.h).
// `layers`: those that each candidate passed; empty: all the same.
std::vector<CandidateNovelty> assess_novelty(const NoveltyArchive& archive,
                                             std::span<const Views> batch,
                                             const NoveltySettings& settings,
                                             std::span<const int> layers = {});

// s̄ and γ of equation 4.
class NoveltyWeight {
 public:
  explicit NoveltyWeight(const NoveltySettings& settings);

  // γ_min + (γ_max − γ_min)·clip((s̄ − τ_low) / (τ_high − τ_low), 0, 1).
  double gamma() const;
  double mean_similarity() const { return mean_similarity_; }  // s̄

  // Moves s̄ by one batch; one in which there is nothing to compare leaves it.
  void observe(std::span<const CandidateNovelty> batch);

  // {"mean_similarity": s̄}
  Json state() const;
  Status restore(const Json& state);

 private:
  NoveltySettings settings_;
  double mean_similarity_;
};

}  // namespace redqueen::synth
