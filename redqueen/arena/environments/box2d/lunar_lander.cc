// Gymnasium's LunarLander-v3 and LunarLanderContinuous-v3, version 1.3.0, by O. Klimov.
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
constexpr double kPadHeight = kHeight / 4;
constexpr double kLegDown = 18 / kScale;  // from the lander's origin to the legs' joint

constexpr std::uint16_t kLanderBits = 0x0010;
constexpr std::uint16_t kLegBits = 0x0020;

constexpr std::string_view kDescription =
    "A lander falls towards the moon from 13.3 m, with a random push; land it on the pad between "
    "two flags, at the coordinates (0, 0). {} The thrust is a little random. A step of 0.02 s pays "
    "the gain in a potential: minus 100 times the distance to the pad, minus 100 times the speed, "
    "minus 100 times the tilt (rad), plus 10 for each leg on the ground (distances and speeds in "
    "the units of the observation); it costs 0.3 for the main engine and 0.03 for a side engine, "
    "times their power. The episode ends when the body touches the moon or x leaves -1 to 1 (this "
    "step pays -100), when the lander has come to rest (100), or after 1000 steps.";
constexpr std::string_view kDiscreteControl =
    "Do nothing (0), fire the left engine (1), the main engine (2) or the right engine (3).";
constexpr std::string_view kContinuousControl =
    "The action is the main engine's throttle, off up to 0, then 50% to 100% at 1, and that of the "
    "side engines, off between -0.5 and 0.5, then 50% to 100%: the left one below, the right one "
    "above. What lies beyond -1 to 1 is clipped.";

SimulatorCard lunar_lander_card(bool continuous) {
  SimulatorCard card = box2d_card(continuous ? "LunarLanderContinuous-v3" : "LunarLander-v3", 1000);
  card.description = fmt::format(kDescription, continuous ? kContinuousControl : kDiscreteControl);
  const std::vector<double> high{2.5, 2.5, 10, 10, 2 * std::numbers::pi, 10, 1, 1};
  std::vector<double> low = high;
  for (std::size_t i = 0; i < low.size(); ++i) low[i] = i < 6 ? -high[i] : -0.0;
  card.observation_space =
      float_box(low, high,
                {"x from the pad (10 m)", "y from the pad (6.67 m)", "x velocity (5 m/s)",
                 "y velocity (7.5 m/s)", "angle (rad)", "angular velocity (2.5 rad/s)",
                 "right leg is on the ground", "left leg is on the ground"});
  if (continuous) {
    card.action_space = float_box({-1, -1}, {1, 1}, {"main engine", "side engines"});
  } else {
    card.action_space = {Discrete{.n = 4}};
  }
  return card;
}

// The engines' thrust in a step.
struct Thrust {
  double main = 0;       // power, 0 or 0.5 to 1
  double side = 0;       // power, 0 or 0.5 to 1
  double direction = 0;  // of the side engines: -1 left, 1 right
};

Thrust discrete_thrust(std::int64_t action) {
  if (action == 2) return {.main = 1};
  if (action == 0) return {};
  return {.side = 1, .direction = static_cast<double>(action - 2)};
}

Thrust continuous_thrust(std::span<const float> action) {
  const double main = std::clamp(action[0], -1.0F, 1.0F);
  const double side = std::clamp(action[1], -1.0F, 1.0F);
  Thrust thrust;
  if (main > 0) thrust.main = (main + 1.0) * 0.5;
  if (std::abs(side) > 0.5) {
    thrust.side = std::abs(side);
    thrust.direction = side > 0 ? 1 : -1;
  }
  return thrust;
}

class LunarLander final : public Box2dSimulator {
 public:
  using Box2dSimulator::Box2dSimulator;

 private:
  // What is seen of the lander, in the units of the observation.
  struct Sight {
    double x;  // from the pad
    double y;
    double speed_x;
    double speed_y;
    double angle;
    double turn;
    double right;  // 1 if the leg is on the ground
    double left;
  };

  void start(Value& observation) override {
    make_world();
    make_moon();
    make_lander();
    // Gymnasium's first observation is that of a step in which the engines rest.
    const Sight sight = fly({});
    potential_ = potential_of(sight);
    write(sight, observation);
  }

  void advance(const Value& action, Transition& out) override {
    const auto* number = std::get_if<std::int64_t>(&action.form);
    const Thrust thrust =
        number != nullptr ? discrete_thrust(*number) : continuous_thrust(elements<float>(action));
    const Sight sight = fly(thrust);
    write(sight, out.observation);
    const double before = std::exchange(potential_, potential_of(sight));
    out.reward = potential_ - before;
    out.reward -= thrust.main * 0.30;
    out.reward -= thrust.side * 0.03;
    if (contacts().trunk_has_touched() || std::abs(sight.x) >= 1.0) {
      out.terminated = true;
      out.reward = -100;
    }
    if (!lander_->IsAwake()) {
      out.terminated = true;
      out.reward = 100;
    }
  }

  // Ten slopes of random heights, smoothed; those in the middle are the pad.
  void make_moon() {
    constexpr std::size_t kPoints = 11;
    std::array<double, kPoints + 1> heights;
    for (double& height : heights) height = random().uniform(0, kHeight / 2);
    for (std::size_t i = kPoints / 2 - 2; i <= kPoints / 2 + 2; ++i) heights[i] = kPadHeight;
    std::array<b2Vec2, kPoints> points;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double before = heights[(i + kPoints) % heights.size()];
      points[i] = to_b2(kWidth / (kPoints - 1) * static_cast<double>(i),
                        0.33 * (before + heights[i] + heights[i + 1]));
    }
    b2EdgeShape edge;
    edge.Set(to_b2(0, 0), to_b2(kWidth, 0));
    b2Body* moon = add_body(b2_staticBody, {0, 0}, 0, edge, {});
    for (std::size_t i = 0; i + 1 < kPoints; ++i) {
      edge.Set(points[i], points[i + 1]);
      add_fixture(*moon, edge, {.friction = 0.1});
    }
  }

  void make_lander() {
    constexpr std::array<std::array<double, 2>, 6> kBody{{{-14 / kScale, 17 / kScale},
                                                          {-17 / kScale, 0 / kScale},
                                                          {-17 / kScale, -10 / kScale},
                                                          {17 / kScale, -10 / kScale},
                                                          {17 / kScale, 0 / kScale},
                                                          {14 / kScale, 17 / kScale}}};
    lander_ = add_body(
        b2_dynamicBody, to_b2(kWidth / 2, kHeight), 0, to_polygon(kBody),
        {.density = 5, .friction = 0.1, .category = kLanderBits, .collides_with = kGroundBits});
    constexpr double kPush = 1000;  // N
    const double push_x = random().uniform(-kPush, kPush);
    const double push_y = random().uniform(-kPush, kPush);
    lander_->ApplyForceToCenter(to_b2(push_x, push_y), true);
    const b2Body* right = make_leg(1);
    const b2Body* left = make_leg(-1);
    contacts().watch(lander_, {right, left});
  }

  // A leg with a spring, on the right (1) or on the left (-1).
  b2Body* make_leg(int side) {
    constexpr double kMost = 0.9;  // rad, how far a leg is spread
    const double away = side * 20 / kScale;
    b2PolygonShape box;
    box.SetAsBox(static_cast<float>(2 / kScale), static_cast<float>(8 / kScale));
    b2Body* leg = add_body(b2_dynamicBody, to_b2(kWidth / 2 + away, kHeight), side * -0.05, box,
                           {.density = 1, .category = kLegBits, .collides_with = kGroundBits});
    add_joint({.a = lander_,
               .b = leg,
               .anchor_b = to_b2(-away, kLegDown),
               .lower = side > 0 ? kMost - 0.5 : -kMost,
               .upper = side > 0 ? kMost : -kMost + 0.5,
               .torque = 40,
               .speed = side * -0.3});
    return leg;
  }

  // A frame of the engine under a thrust.
  Sight fly(const Thrust& thrust) {
    fire(thrust);
    simulate();
    const b2Vec2 position = lander_->GetPosition();
    const b2Vec2 velocity = lander_->GetLinearVelocity();
    return {.x = (position.x - kWidth / 2) / (kWidth / 2),
            .y = (position.y - (kPadHeight + kLegDown)) / (kHeight / 2),
            .speed_x = velocity.x * (kWidth / 2) / kFramesPerSecond,
            .speed_y = velocity.y * (kHeight / 2) / kFramesPerSecond,
            .angle = lander_->GetAngle(),
            .turn = 20.0 * lander_->GetAngularVelocity() / kFramesPerSecond,
            .right = contacts().stands(0) ? 1.0 : 0.0,
            .left = contacts().stands(1) ? 1.0 : 0.0};
  }

  static void write(const Sight& sight, Value& observation) {
    observe<8>({sight.x, sight.y, sight.speed_x, sight.speed_y, sight.angle, sight.turn,
                sight.right, sight.left},
               observation);
  }

  // The reward pays the growth of this potential.
  static double potential_of(const Sight& sight) {
    const double distance = std::sqrt(sight.x * sight.x + sight.y * sight.y);
    const double speed = std::sqrt(sight.speed_x * sight.speed_x + sight.speed_y * sight.speed_y);
    return -100 * distance - 100 * speed - 100 * std::abs(sight.angle) + 10 * sight.right +
           10 * sight.left;
  }

  // The engines push at places that are a little random, in every step, whether they burn or not.
  void fire(const Thrust& thrust) {
    const double sine = std::sin(static_cast<double>(lander_->GetAngle()));
    const double cosine = std::cos(static_cast<double>(lander_->GetAngle()));
    const double noise1 = random().uniform(-1.0, 1.0) / kScale;
    const double noise2 = random().uniform(-1.0, 1.0) / kScale;
    const b2Vec2 position = lander_->GetPosition();
    if (thrust.main > 0) {
      constexpr double kPower = 13;
      const double down = 4 / kScale + 2 * noise1;
      const double x = sine * down - cosine * noise2;
      const double y = -cosine * down - sine * noise2;
      push(x, y, kPower, thrust.main, to_b2(position.x + x, position.y + y));
    }
    if (thrust.side > 0) {
      constexpr double kPower = 0.6;
      const double out = 3 * noise2 + thrust.direction * 12 / kScale;
      const double x = sine * noise1 - cosine * out;
      const double y = -cosine * noise1 - sine * out;
      // 17 and 14 are Gymnasium's: the engines move on the body as it turns.
      push(x, y, kPower, thrust.side,
           to_b2(position.x + x - sine * 17 / kScale, position.y + y + cosine * 14 / kScale));
    }
  }

  // The impulse against a jet of this direction.
  void push(double x, double y, double power, double throttle, b2Vec2 place) {
    lander_->ApplyLinearImpulse(to_b2(-x * power * throttle, -y * power * throttle), place, true);
  }

  b2Body* lander_ = nullptr;  // the world's
  double potential_ = 0;
};

template <bool continuous>
Expected<std::unique_ptr<Simulator>> make(std::string_view, const SimulatorSettings&) {
  return std::make_unique<LunarLander>(lunar_lander_card(continuous));
}

constexpr std::array kEntries{
    CatalogEntry{"LunarLander-v3", make<false>},
    CatalogEntry{"LunarLanderContinuous-v3", make<true>},
};

}  // namespace

std::span<const CatalogEntry> lunar_lander_entries() { return kEntries; }

}  // namespace redqueen::arena
