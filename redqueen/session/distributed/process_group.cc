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
Status attempt_call(const char* what, Work work) {
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

  Status scatter_sum(const at::Tensor& rows, const at::Tensor& own) override {
    return attempt("the sum of gradients", [&] {
      at::Tensor given = where_it_travels(rows.view({-1}));
      at::Tensor got = where_it_travels(own);
      group_of(given)._reduce_scatter_base(got, given)->wait();
      if (!got.is_same(own)) own.copy_(got);
    });
  }

  // As bytes: what travels need not be understood.
  Status gather(const at::Tensor& own, const at::Tensor& rows) override {
    return attempt("the exchange of parameters", [&] {
      const at::Tensor all = rows.view({-1}).view(at::kByte);
      at::Tensor given = where_it_travels(own.view({-1}).view(at::kByte));
      at::Tensor got = where_it_travels(all);
      group_of(given)._allgather_base(got, given)->wait();
      if (!got.is_same(all)) all.copy_(got);
    });
  }

  Expected<std::vector<std::string>> exchange(const std::string& bytes) override {
    std::vector<std::string> all;
    RETURN_IF_ERROR(attempt("the exchange of results", [&] { all = gather_texts(bytes); }));
    return all;
  }

 private:
  // A process that fails closes its connections: those that wait for it fail as well, and so on
  // round the ring, instead of waiting for their time-out.
  template <typename Work>
  Status attempt(const char* what, Work work) {
    if (!host_) return failure("{} needs processes that have lost each other", what);
    Status done = attempt_call(what, std::move(work));
    if (!done) host_.reset();
    return done;
  }

  // The tensor itself, or a copy in main memory where that is the only way.
  at::Tensor where_it_travels(const at::Tensor& tensor) const {
    return device_ && tensor.is_cuda() ? tensor : tensor.cpu();
  }
  c10d::Backend& group_of(const at::Tensor& travels) const {
    return travels.is_cuda() ? *device_ : *host_;
  }

  // One message for many tensors.
  void sum_range(at::TensorList tensors) {
    std::vector<at::Tensor> flat;
    for (const at::Tensor& tensor : tensors) flat.push_back(tensor.detach().view({-1}));
    std::vector<at::Tensor> message{where_it_travels(at::cat(flat))};
    group_of(message[0]).allreduce(message)->wait();
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

  std::vector<std::string> gather_texts(const std::string& bytes) {
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
  c10::intrusive_ptr<c10d::Backend> host_;    // none once a call has failed
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
  RETURN_IF_ERROR(attempt_call("the rendezvous", [&] {
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
