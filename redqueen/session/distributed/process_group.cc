#include "redqueen/session/distributed/process_group.h"

#define USE_C10D_GLOO
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cstring>
#include <numeric>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#if defined(REDQUEEN_NCCL)
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace redqueen {
namespace {

constexpr std::int64_t kNumbersAtOnce = std::int64_t{1} << 24;

// c10d reports by exceptions.
template <typename Work>
Status attempt(const char* what, Work work) {
  try {
    work();
    return {};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return failure("{} failed between the processes: {}", what, text.substr(0, text.find('\n')));
  }
}

class C10dCommunicator final : public Communicator {
 public:
  C10dCommunicator(const ProcessGroupOptions& options, c10::intrusive_ptr<c10d::Backend> host,
                   c10::intrusive_ptr<c10d::Backend> device)
      : rank_(options.rank),
        size_(options.size),
        host_(std::move(host)),
        device_(std::move(device)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Status sum(const std::vector<at::Tensor>& tensors) override {
    return attempt("the sum of gradients", [&] {
      for (std::size_t begin = 0; begin < tensors.size();) {
        std::size_t end = begin;
        for (std::int64_t numbers = 0;
             end < tensors.size() && (end == begin || numbers < kNumbersAtOnce);)
          numbers += tensors[end++].numel();
        sum_range({tensors.data() + begin, end - begin});
        begin = end;
      }
    });
  }

  Expected<std::vector<std::string>> exchange(const std::string& bytes) override {
    std::vector<std::string> all;
    RETURN_IF_ERROR(attempt("the exchange of results", [&] { all = gather(bytes); }));
    return all;
  }

 private:
  // One message for many tensors.
  void sum_range(at::TensorList tensors) {
    std::vector<at::Tensor> flat;
    for (const at::Tensor& tensor : tensors) flat.push_back(tensor.detach().view({-1}));
    const at::Tensor joined = at::cat(flat);
    const bool by_device = device_ && joined.is_cuda();
    std::vector<at::Tensor> message{by_device ? joined : joined.cpu()};
    (by_device ? device_ : host_)->allreduce(message)->wait();
    std::int64_t begin = 0;
    for (at::Tensor& part : flat) {
      part.copy_(message[0].narrow(0, begin, part.numel()));
      begin += part.numel();
    }
  }

  std::vector<at::Tensor> gather_tensor(const at::Tensor& own) {
    std::vector<std::vector<at::Tensor>> results(1);
    for (int r = 0; r < size_; ++r) results[0].push_back(at::empty_like(own));
    std::vector<at::Tensor> given{own};
    host_->allgather(results, given)->wait();
    return results[0];
  }

  std::vector<std::string> gather(const std::string& bytes) {
    std::vector<std::int64_t> lengths;
    std::int64_t longest = 0;
    const at::Tensor length =
        at::zeros({1}, at::kLong).fill_(static_cast<std::int64_t>(bytes.size()));
    for (const at::Tensor& one : gather_tensor(length)) {
      lengths.push_back(one.item<std::int64_t>());
      longest = std::max(longest, lengths.back());
    }
    const at::Tensor padded = at::zeros({longest}, at::kByte);
    std::memcpy(padded.mutable_data_ptr(), bytes.data(), bytes.size());
    std::vector<std::string> all;
    for (const at::Tensor& one : gather_tensor(padded)) {
      all.emplace_back(static_cast<const char*>(one.const_data_ptr()),
                       static_cast<std::size_t>(lengths[all.size()]));
    }
    return all;
  }

  int rank_;
  int size_;
  c10::intrusive_ptr<c10d::Backend> host_;
  c10::intrusive_ptr<c10d::Backend> device_;  // none: gradients travel by main memory
};

c10::intrusive_ptr<c10d::Backend> gloo_group(const ProcessGroupOptions& options,
                                             const c10::intrusive_ptr<c10d::Store>& store) {
  auto settings = c10d::ProcessGroupGloo::Options::create(options.timeout);
  settings->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, options.rank, options.size, settings);
}

c10::intrusive_ptr<c10d::Backend> device_group(
    [[maybe_unused]] const ProcessGroupOptions& options,
    [[maybe_unused]] const c10::intrusive_ptr<c10d::Store>& store) {
#if defined(REDQUEEN_NCCL)
  if (options.cuda) {
    auto settings = c10d::ProcessGroupNCCL::Options::create();
    settings->timeout = options.timeout;
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(
        c10::make_intrusive<c10d::PrefixStore>("nccl", store), options.rank, options.size,
        settings);
  }
#endif
  return {};
}

}  // namespace

Expected<std::shared_ptr<Communicator>> make_process_group(const ProcessGroupOptions& options) {
  std::shared_ptr<Communicator> communicator;
  RETURN_IF_ERROR(attempt("the rendezvous", [&] {
    const auto store =
        c10::make_intrusive<c10d::FileStore>(options.rendezvous_file.string(), options.size);
    store->setTimeout(options.timeout);
    auto host = gloo_group(options, store);
    communicator =
        std::make_shared<C10dCommunicator>(options, std::move(host), device_group(options, store));
  }));
  return communicator;
}

}  // namespace redqueen
