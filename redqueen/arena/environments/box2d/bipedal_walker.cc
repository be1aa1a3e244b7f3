// Gymnasium's BipedalWalker-v3 and BipedalWalkerHardcore-v3, version 1.3.0, by O. Klimov.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "redqueen/arena/environments/box2d/box2d_simulator.h"
#include "redqueen/arena/environments/box2d/entries.h"
#include "redqueen/arena/environments/float_box.h"

namespace redqueen::arena {
namespace {

// Gymnasium gives lengths in pixels of its picture; 30 are a metre.
constexpr double kScale = 30.0;
constexpr double kWidth = 600 / kScale;
constexpr double kHeight = 400 / kScale;
constexpr double kStep = 14 / kScale;  // between two points of the ground
constexpr int kPoints = 200;
constexpr int kGrass = 10;     // points between obstacles, at most
constexpr int kStartPad = 20;  // points that are even
constexpr double kGroundHeight = kHeight / 4;
constexpr double kHipHeight = -8 / kScale;  // on the hull
constexpr double kLegWidth = 8 / kScale;
constexpr double kLegLength = 34 / kScale;
constexpr double kTorque = 80;    // N m
constexpr double kHipSpeed = 4;   // rad/s
constexpr double kKneeSpeed = 6;  // rad/s

constexpr std::uint16_t kWalkerBits = 0x0020;
constexpr Material kGround{.friction = 2.5};
constexpr Material kLimb{.density = 1, .category = kWalkerBits, .collides_with = kGroundBits};

constexpr std::string_view kDescription =
    "A hull on two legs with hips and knees walks to the right, over {} ground of 93 m. The action "
    "is the motors' effort at hip 1, knee 1, hip 2 and knee 2, -1 to 1: the sign is the direction, "
    "the size the torque that is used; what lies beyond is clipped. A step of 0.02 s pays 4.33 for "
    "every metre forward, less 5 for every radian that the hull leaves the level, less 0.028 times "
    "the sum of the efforts. When the hull touches the ground, or walks off to the left, the step "
    "pays -100 and the episode ends; it ends, too, 4.7 m before the right end, or after {} steps.";

SimulatorCard bipedal_walker_card(bool hardcore) {
  const int steps = hardcore ? 2000 : 1600;
  SimulatorCard card =
      box2d_card(hardcore ? "BipedalWalkerHardcore-v3" : "BipedalWalker-v3", steps);
  card.description = fmt::format(
      kDescription, hardcore ? "uneven, with stumps, stairs and pits," : "slightly uneven", steps);
  constexpr double kPi = std::numbers::pi;
  std::vector<double> high{kPi, 5, 5, 5, kPi, 5, kPi, 5, 5, kPi, 5, kPi, 5, 5};
  std::vector<double> low = high;
  for (double& bound : low) bound = -bound;
  low[8] = -0.0;
  low[13] = -0.0;
  std::vector<std::string> fields{"hull angle (rad)", "hull angular velocity (25 rad/s)",
                                  "x velocity (8.33 m/s)", "y velocity (12.5 m/s)"};
  for (const char* leg : {"1", "2"}) {
    fields.push_back(fmt::format("hip {} angle (rad)", leg));
    fields.push_back(fmt::format("hip {} speed (4 rad/s)", leg));
    fields.push_back(fmt::format("knee {} angle, 1 when it is straight (rad)", leg));
    fields.push_back(fmt::format("knee {} speed (6 rad/s)", leg));
    fields.push_back(fmt::format("leg {} is on the ground", leg));
  }
  for (int i = 0; i < 10; ++i) {
    fields.push_back(
        fmt::format("distance of the ground at {:.2f} rad from straight down (5.33 m)", 0.15 * i));
    low.push_back(-1);
    high.push_back(1);
  }
  card.observation_space = float_box(low, high, fields);
  card.action_space =
      float_box({-1, -1, -1, -1}, {1, 1, 1, 1}, {"hip 1", "knee 1", "hip 2", "knee 2"});
  return card;
}

// How far a ray gets, as a part of its length; it passes through the walker.
class Ray final : public b2RayCastCallback {
 public:
  float fraction() const { return fraction_; }

  float ReportFixture(b2Fixture* fixture, const b2Vec2&, const b2Vec2&, float fraction) override {
    if ((fixture->GetFilterData().categoryBits & kGroundBits) == 0) return -1;
    fraction_ = fraction;
    return fraction;
  }

 private:
  float fraction_ = 1;
};

class BipedalWalker final : public Box2dSimulator {
 public:
  BipedalWalker(SimulatorCard card, bool hardcore)
      : Box2dSimulator(std::move(card)), hardcore_(hardcore) {}

 private:
  void start(Value& observation) override {
    make_world();
    make_ground();
    skip_clouds();
    make_walker();
    // Gymnasium's first observation is that of a step without effort.
    walk({});
    potential_ = potential();
    write(observation);
  }

  void advance(const Value& action, Transition& out) override {
    const std::span<const float> effort = elements<float>(action);
    walk({effort[0], effort[1], effort[2], effort[3]});
    write(out.observation);
    const double before = std::exchange(potential_, potential());
    // By NumPy's rules (NEP 50) the gain, a Python number, becomes float32 with the first cost.
    auto paid = static_cast<float>(potential_ - before);
    for (const float part : effort) paid -= static_cast<float>(0.00035 * kTorque) * size_of(part);
    out.reward = paid;
    const float x = hull_->GetPosition().x;
    if (contacts().trunk_has_touched() || x < 0) {
      out.reward = -100;
      out.terminated = true;
    }
    if (x > (kPoints - kGrass) * kStep) out.terminated = true;
  }

  // --- the ground -------------------------------------------------------------------------------

  enum class Kind { kGrass, kStump, kStairs, kPit };

  // The obstacle that is being made.
  struct Obstacle {
    Kind kind = Kind::kGrass;
    bool begins = false;   // at this point
    int rest = kStartPad;  // points to come, this one included
    double ground = 0;     // height at its beginning
    int steps = 0;         // of stairs
    int rise = 0;          // 1: stairs lead up, -1: down
  };
  static constexpr int kStairWidth = 4;

  void make_ground() {
    std::array<b2Vec2, kPoints> points;
    Obstacle obstacle;
    double slope = 0;
    double height = kGroundHeight;
    for (int i = 0; i < kPoints; ++i) {
      const double x = i * kStep;
      if (obstacle.kind == Kind::kGrass && !obstacle.begins) {
        slope = 0.8 * slope + 0.01 * sign(kGroundHeight - height);
        if (i > kStartPad) slope += random().uniform(-1, 1) / kScale;
        height += slope;
      } else if (obstacle.begins) {
        begin(obstacle, x, height);
      } else {
        height = height_on(obstacle, height);
      }
      points[static_cast<std::size_t>(i)] = to_b2(x, height);
      obstacle.begins = false;
      if (--obstacle.rest == 0) choose_next(obstacle);
    }
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      b2EdgeShape edge;
      edge.Set(points[i], points[i + 1]);
      add_body(b2_staticBody, {0, 0}, 0, edge, kGround);
    }
  }

  void choose_next(Obstacle& obstacle) {
    obstacle.rest = static_cast<int>(random().integers(kGrass / 2, kGrass));
    const bool is_grass = obstacle.kind == Kind::kGrass;
    obstacle.kind =
        is_grass && hardcore_ ? static_cast<Kind>(random().integers(1, 4)) : Kind::kGrass;
    obstacle.begins = true;
  }

  void begin(Obstacle& obstacle, double x, double height) {
    switch (obstacle.kind) {
      case Kind::kGrass:
        break;
      case Kind::kPit: {
        const auto width = static_cast<int>(random().integers(3, 5));
        for (const double left : {0.0, kStep * width}) {
          add_rectangle(x + left, x + kStep + left, height, height - 4 * kStep);
        }
        obstacle.rest = width + 2;
        obstacle.ground = height;
        break;
      }
      case Kind::kStump: {
        obstacle.rest = static_cast<int>(random().integers(1, 3));
        const double size = obstacle.rest * kStep;
        add_rectangle(x, x + size, height, height + size);
        break;
      }
      case Kind::kStairs:
        obstacle.rise = random().random() > 0.5 ? 1 : -1;
        obstacle.steps = static_cast<int>(random().integers(3, 5));
        obstacle.ground = height;
        for (int s = 0; s < obstacle.steps; ++s) {
          add_rectangle(x + s * kStairWidth * kStep, x + (1 + s) * kStairWidth * kStep,
                        height + s * obstacle.rise * kStep,
                        height + (-1 + s * obstacle.rise) * kStep);
        }
        obstacle.rest = obstacle.steps * kStairWidth;
        break;
    }
  }

  // The ground's height at a point within an obstacle; `height` is that of the point before.
  static double height_on(const Obstacle& obstacle, double height) {
    if (obstacle.kind == Kind::kPit) {
      return obstacle.rest > 1 ? obstacle.ground - 4 * kStep : obstacle.ground;
    }
    if (obstacle.kind == Kind::kStairs) {
      const int done = obstacle.steps * kStairWidth - obstacle.rest - obstacle.rise;
      return obstacle.ground + static_cast<double>(done) / kStairWidth * obstacle.rise * kStep;
    }
    return height;
  }

  // A block of ground; its first side is `first` high.
  void add_rectangle(double left, double right, double first, double second) {
    const std::array<std::array<double, 2>, 4> corners{
        {{left, first}, {right, first}, {right, second}, {left, second}}};
    add_body(b2_staticBody, {0, 0}, 0, to_polygon(corners), kGround);
  }

  // Gymnasium draws ten clouds with a place and five corners each. Nobody sees them here.
  void skip_clouds() {
    for (int i = 0; i < 10 * (1 + 5 * 2); ++i) random().random();
  }

  // --- the walker -------------------------------------------------------------------------------

  void make_walker() {
    constexpr std::array<std::array<double, 2>, 5> kHull{{{-30 / kScale, 9 / kScale},
                                                          {6 / kScale, 9 / kScale},
                                                          {34 / kScale, 1 / kScale},
                                                          {34 / kScale, -8 / kScale},
                                                          {-30 / kScale, -8 / kScale}}};
    constexpr double kX = kStep * kStartPad / 2;
    constexpr double kY = kGroundHeight + 2 * kLegLength;
    hull_ = add_body(
        b2_dynamicBody, to_b2(kX, kY), 0, to_polygon(kHull),
        {.density = 5, .friction = 0.1, .category = kWalkerBits, .collides_with = kGroundBits});
    constexpr double kPush = 5;  // N
    hull_->ApplyForceToCenter(to_b2(random().uniform(-kPush, kPush), 0), true);
    std::array<const b2Body*, 2> feet{};
    for (std::size_t leg = 0; leg < 2; ++leg) {
      const double angle = (leg == 0 ? -1 : 1) * 0.05;
      b2Body* upper = add_limb(kX, kY - kLegLength / 2 - kHipHeight, angle, kLegWidth / 2);
      joints_[2 * leg] = add_joint({.a = hull_,
                                    .b = upper,
                                    .anchor_a = to_b2(0, kHipHeight),
                                    .anchor_b = to_b2(0, kLegLength / 2),
                                    .lower = -0.8,
                                    .upper = 1.1});
      b2Body* lower =
          add_limb(kX, kY - kLegLength * 3 / 2 - kHipHeight, angle, 0.8 * kLegWidth / 2);
      joints_[2 * leg + 1] = add_joint({.a = upper,
                                        .b = lower,
                                        .anchor_a = to_b2(0, -kLegLength / 2),
                                        .anchor_b = to_b2(0, kLegLength / 2),
                                        .lower = -1.6,
                                        .upper = -0.1});
      feet[leg] = lower;
    }
    contacts().watch(hull_, feet);
  }

  b2Body* add_limb(double x, double y, double angle, double half_width) {
    b2PolygonShape box;
    box.SetAsBox(static_cast<float>(half_width), static_cast<float>(kLegLength / 2));
    return add_body(b2_dynamicBody, to_b2(x, y), angle, box, kLimb);
  }

  // A frame of the engine with this effort of the joints.
  void walk(const std::array<float, 4>& effort) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double speed = i % 2 == 0 ? kHipSpeed : kKneeSpeed;
      joints_[i]->SetMotorSpeed(static_cast<float>(speed * sign(effort[i])));
      joints_[i]->SetMaxMotorTorque(static_cast<float>(kTorque) * size_of(effort[i]));
    }
    simulate();
  }

  // The reward pays the growth of this potential.
  double potential() const {
    return 130 * static_cast<double>(hull_->GetPosition().x) / kScale -
           5.0 * std::abs(static_cast<double>(hull_->GetAngle()));
  }

  void write(Value& observation) {
    const b2Vec2 velocity = hull_->GetLinearVelocity();
    std::array<double, 24> state{hull_->GetAngle(),
                                 2.0 * hull_->GetAngularVelocity() / kFramesPerSecond,
                                 0.3 * velocity.x * kWidth / kFramesPerSecond,
                                 0.3 * velocity.y * kHeight / kFramesPerSecond};
    auto next = state.begin() + 4;
    for (std::size_t leg = 0; leg < 2; ++leg) {
      const b2RevoluteJoint& hip = *joints_[2 * leg];
      const b2RevoluteJoint& knee = *joints_[2 * leg + 1];
      *next++ = hip.GetJointAngle();
      *next++ = hip.GetJointSpeed() / kHipSpeed;
      *next++ = knee.GetJointAngle() + 1.0;
      *next++ = knee.GetJointSpeed() / kKneeSpeed;
      *next++ = contacts().stands(leg) ? 1.0 : 0.0;
    }
    for (int i = 0; i < 10; ++i) *next++ = look(1.5 * i / 10.0);
    observe(state, observation);
  }

  // How far the ground is in a direction (rad from straight down), as a part of the range.
  double look(double direction) {
    constexpr double kRange = 160 / kScale;
    const b2Vec2 position = hull_->GetPosition();
    Ray ray;
    world().RayCast(&ray, position,
                    to_b2(position.x + std::sin(direction) * kRange,
                          position.y - std::cos(direction) * kRange));
    return ray.fraction();
  }

  static double sign(double number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }
  static float size_of(float effort) { return std::min(std::abs(effort), 1.0F); }

  bool hardcore_;
  b2Body* hull_ = nullptr;  // the world's, as the joints are: hip 1, knee 1, hip 2, knee 2
  std::array<b2RevoluteJoint*, 4> joints_{};
  double potential_ = 0;
};

template <bool hardcore>
Expected<std::unique_ptr<Simulator>> make(std::string_view, const SimulatorSettings&) {
  return std::make_unique<BipedalWalker>(bipedal_walker_card(hardcore), hardcore);
}

constexpr std::array kEntries{
    CatalogEntry{"BipedalWalker-v3", make<false>},
    CatalogEntry{"BipedalWalkerHardcore-v3", make<true>},
};

}  // namespace

std::span<const CatalogEntry> bipedal_walker_entries() { return kEntries; }

}  // namespace redqueen::arena
