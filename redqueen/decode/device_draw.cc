#include "redqueen/decode/device_draw.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "redqueen/decode/cache_size.h"
#include "redqueen/decode/sampler.h"

namespace redqueen {
namespace {

// probabilities with 0 for the tokens that top-k, top-p and min-p forbid (find_cut()).
at::Tensor cut(const at::Tensor& probabilities, const SampleParameters& parameters) {
  const std::int64_t vocabulary = probabilities.size(1);
  const std::int64_t kept =
      parameters.top_k > 0 ? std::min<std::int64_t>(parameters.top_k, vocabulary) : vocabulary;
  at::Tensor sorted, order;
  if (kept < vocabulary && parameters.top_p >= 1.0) {
    std::tie(sorted, order) = probabilities.topk(kept, -1, /*largest=*/true, /*sorted=*/true);
  } else if (kept < vocabulary || parameters.top_p < 1.0) {
    // Stable: of equal ones the lower number comes first.
    std::tie(sorted, order) = probabilities.sort(/*stable=*/true, /*dim=*/-1, /*descending=*/true);
    sorted = sorted.narrow(1, 0, kept);
    order = order.narrow(1, 0, kept);
  }
  const at::Tensor floor = std::get<0>(probabilities.max(-1, /*keepdim=*/true)) * parameters.min_p;
  if (!sorted.defined()) return probabilities.where(probabilities >= floor, 0);
  at::Tensor allowed = sorted >= floor;
  if (parameters.top_p < 1.0) {
    const at::Tensor mass = sorted.sum(-1, /*keepdim=*/true, at::kDouble);
    const at::Tensor before = sorted.cumsum(-1, at::kDouble) - sorted;
    allowed = allowed & (before < mass * parameters.top_p);
  }
  return at::zeros_like(probabilities).scatter_(1, order, sorted.where(allowed, 0));
}

DeviceDraw draw_some(const at::Tensor& logits, const at::Tensor& uniforms,
                     const SampleParameters& parameters) {
  const bool greedy = parameters.temperature == 0;
  const at::Tensor tempered = greedy || parameters.temperature == 1
                                  ? logits
                                  : logits.to(at::kFloat) / parameters.temperature;
  const at::Tensor probabilities = at::softmax(tempered, -1, at::kFloat);
  at::Tensor tokens;
  if (greedy) {
    tokens = logits.argmax(-1);
  } else {
    const at::Tensor drawable = cuts(parameters) ? cut(probabilities, parameters) : probabilities;
    const at::Tensor walked = drawable.cumsum(-1, at::kDouble);
    const at::Tensor all = walked.narrow(1, walked.size(1) - 1, 1);
    // The first token at which the sum exceeds the target: as many as do not.
    tokens = at::searchsorted(walked, all * uniforms.unsqueeze(1), /*out_int32=*/false,
                              /*right=*/true)
                 .squeeze(1);
    // Rounding can carry the target to the very end; the last token that has a share comes there.
    const at::Tensor last = (walked < all).sum(-1);
    tokens = at::minimum(tokens, last);
  }
  return {tokens, probabilities.gather(1, tokens.unsqueeze(1)).squeeze(1).log()};
}

}  // namespace

DeviceDraw draw_on_device(const at::Tensor& logits, const at::Tensor& uniforms,
                          const SampleParameters& parameters) {
  std::vector<at::Tensor> tokens, log_probs;
  for (std::int64_t begin = 0; begin < logits.size(0); begin += kRowsDrawnAtOnce) {
    const std::int64_t count = std::min(kRowsDrawnAtOnce, logits.size(0) - begin);
    DeviceDraw some =
        draw_some(logits.narrow(0, begin, count), uniforms.narrow(0, begin, count), parameters);
    tokens.push_back(std::move(some.tokens));
    log_probs.push_back(std::move(some.log_probs));
  }
  return {at::cat(tokens), at::cat(log_probs)};
}

}  // namespace redqueen
