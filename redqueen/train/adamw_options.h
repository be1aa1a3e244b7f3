// Options of AdamW (adamw.h).
#pragma once

namespace redqueen {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;      // of matrices; norms and biases never decay
  bool decay_embeddings = true;    // embeddings and output layer decay as matrices do
  double max_gradient_norm = 1.0;  // gradients are scaled down to this global norm; 0: off
  // No update is made of gradients whose global norm exceeds this. 0: only if it is not finite.
  double gradient_norm_limit = 0;
  // Moments and float32 masters stay in main memory, and the update is made there: gradients travel
  // from the device, parameters to it.
  bool offload = false;
};

}  // namespace redqueen
