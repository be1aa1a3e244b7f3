#include "redqueen/recipes/distributed/rank_service.h"

#include <fcntl.h>

#include "redqueen/policy/embedded_policy.h"
#include "redqueen/recipes/distributed/messages.h"
#include "redqueen/recipes/distributed/process_group.h"
#include "redqueen/recipes/session.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/config.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

class RankService {
 public:
  explicit RankService(const RankPlace& place) : place_(place) {}

  Expected<Json> answer(const Json& message) {
    const std::string wanted = message.at("do").get<std::string>();
    if (wanted == "begin") return begin(message);
    if (wanted == "meet") return meet();
    if (wanted == "sample") return sample(message);
    if (wanted == "step") return step(message);
    if (wanted == "load") return load(message);
    return failure("rank {} does not know how to \"{}\"", place_.rank, wanted);
  }

 private:
  Expected<Json> begin(const Json& message) {
    const auto config = Config::parse(message.at("toml").get<std::string>(), "config.toml");
    if (!config) return tl::make_unexpected(config.error());
    Settings settings(*config);
    settings_.bind(settings);
    if (Status sound = settings.finish(); !sound) return tl::make_unexpected(sound.error());
    meeting_point_ = message.at("meeting").get<std::string>();
    auto policy = load_trainable_policy(settings_, place_.rank, place_.size);
    if (!policy) return tl::make_unexpected(policy.error());
    policy_ = std::move(*policy);
    auto trainer = EmbeddedTrainer::create(policy_->transformer(), settings_.trainer);
    if (!trainer) return tl::make_unexpected(trainer.error());
    trainer_ = std::move(*trainer);
    return Json::object();
  }

  Expected<Json> meet() {
    const auto peers =
        make_process_group({.rank = place_.rank,
                            .size = place_.size,
                            .meeting_point = meeting_point_,
                            .timeout = std::chrono::seconds(settings_.run.peer_timeout),
                            .cuda = policy_->transformer().options().device.is_cuda()});
    if (!peers) return tl::make_unexpected(peers.error());
    trainer_->join(*peers);
    return Json::object();
  }

  Expected<Json> sample(const Json& message) {
    std::vector<SampleRequest> requests;
    for (const Json& entry : message.at("requests")) requests.push_back(sample_request(entry));
    const auto groups = policy_->sample(requests, sample_parameters(message.at("parameters")));
    if (!groups) return tl::make_unexpected(groups.error());
    Json answer{{"groups", Json::array()}};
    for (const CompletionGroup& group : *groups) answer["groups"].push_back(to_message(group));
    return answer;
  }

  Expected<Json> step(const Json& message) {
    std::vector<ScoredGroup> groups;
    for (const Json& entry : message.at("groups")) groups.push_back(scored_group(entry));
    const auto report = trainer_->step(groups);
    if (!report) return tl::make_unexpected(report.error());
    return Json{{"updates", report->updates}, {"gradient_norm", report->gradient_norm}};
  }

  Expected<Json> load(const Json& message) {
    const Status loaded = trainer_->load(message.at("folder").get<std::string>());
    if (!loaded) return tl::make_unexpected(loaded.error());
    return Json::object();
  }

  RankPlace place_;
  TrainSettings settings_;
  fs::path meeting_point_;
  std::unique_ptr<EmbeddedPolicy> policy_;
  std::unique_ptr<EmbeddedTrainer> trainer_;
};

}  // namespace

Status serve_rank(const RankPlace& place) {
  ::fcntl(place.channel, F_SETFD, FD_CLOEXEC);
  const Channel channel(place.channel);
  RankService service(place);
  while (true) {
    const auto message = channel.receive();
    if (!message) return {};  // rank 0 has ended
    const auto answer = service.answer(*message);
    if (!channel.send(answer ? *answer : to_message(answer.error()))) return {};
  }
}

}  // namespace redqueen
