#!/usr/bin/env python3
"""household_python REDQUEEN: the household world in plain Python, of the same size, beside ours.

Plays random and solving commands through `redqueen gym play` and through the Python below, compares every sentence, and
then says how many turns a second each plays on one core: Python's own time without the reading of problems, ours by
`redqueen bench worlds`."""
import argparse
import json
import random
import subprocess
import time

PREPOSITIONS = {"fridge": "in", "microwave": "in", "sink": "in", "cupboard": "in", "drawer": "in", "bin": "in", "wardrobe": "in",
                "safe": "in", "bathtub": "in", "laundry basket": "in", "chest": "in", "crate": "in"}  # others: on
OPENABLE = {"fridge", "microwave", "cupboard", "drawer", "bin", "wardrobe", "safe", "laundry basket", "chest"}
DEVICES = {"clean": "sink", "heat": "microwave", "cool": "fridge"}


def listed(items):
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def numbered(items):
    seen, names = {}, []
    for item in items:
        seen[item["kind"]] = seen.get(item["kind"], 0) + 1
        names.append(f"{item['kind']} {seen[item['kind']]}")
    return names


class House:
    """The rules of a problem's parameter; perform() answers a command as the world does."""

    def __init__(self, parameter):
        self.house = parameter
        self.places = numbered(parameter["places"])
        self.things = numbered(parameter["things"])
        self.room, self.at, self.holding = parameter["start"], None, None
        self.where = [thing["place"] for thing in parameter["things"]]
        self.condition = [set() for _ in self.things]
        self.open = [place["open"] for place in parameter["places"]]
        self.lit = [False] * len(parameter["lamps"])
        self.doors = {room: set() for room in range(len(parameter["rooms"]))}
        for a, b in parameter["doors"]:
            self.doors[a].add(b)
            self.doors[b].add(a)

    def kind(self, place):
        return self.house["places"][place]["kind"]

    def shut(self, place):
        return self.kind(place) in OPENABLE and not self.open[place]

    def preposition(self, place):
        return PREPOSITIONS.get(self.kind(place), "on")

    def with_condition(self, thing):
        words = [word for word in ("clean", "hot", "cold") if word in self.condition[thing]]
        return " ".join(words + [self.things[thing]])

    def contents(self, place):
        if self.shut(place):
            return "It is closed."
        seen = [f"lamp {lamp + 1} (switched {'on' if self.lit[lamp] else 'off'})"
                for lamp, stands in enumerate(self.house["lamps"]) if stands == place]
        seen += [self.with_condition(thing) for thing, at in enumerate(self.where) if at == place]
        if not seen:
            return f"Nothing is {self.preposition(place)} it."
        return f"{self.preposition(place).capitalize()} it: {listed(seen)}."

    def room_text(self):
        rooms = self.house["rooms"]
        text = f"You are in the {rooms[self.room]}."
        places = [self.places[i] for i, place in enumerate(self.house["places"]) if place["room"] == self.room]
        if places:
            text += f" You see: {listed(places)}."
        doors = ["the " + rooms[room] for room in sorted(self.doors[self.room])]
        if doors:
            text += f" {'A door leads' if len(doors) == 1 else 'Doors lead'} to {listed(doors)}."
        return text

    def look(self):
        text = self.room_text()
        if self.at is not None:
            text += f" You stand at {self.places[self.at]}. {self.contents(self.at)}"
        return text + (" You carry nothing." if self.holding is None else f" You carry {self.with_condition(self.holding)}.")

    def perform(self, verb, name):
        rooms = self.house["rooms"]
        if verb == "look":
            return self.look()
        if verb == "go":
            if name == rooms[self.room]:
                self.at = None
                return self.look()
            if name in rooms:
                if rooms.index(name) not in self.doors[self.room]:
                    return f"No door leads from the {rooms[self.room]} to the {name}."
                self.room, self.at = rooms.index(name), None
                return self.room_text()
            place = self.places.index(name) if name in self.places else None
            if place is None or self.house["places"][place]["room"] != self.room:
                return f"There is no {name} in the {rooms[self.room]}."
            self.at = place
            return f"You are at {name}. {self.contents(place)}"
        if verb in ("put", "clean", "heat", "cool") and (self.holding is None or self.things[self.holding] != name):
            return f"You carry no {name}."
        if self.at is None:
            return "You are at no place: go to one first."
        here = self.places[self.at]
        if verb in ("open", "close"):
            if name != here:
                return f"You are at {here}, not at {name}."
            if self.kind(self.at) not in OPENABLE:
                return f"{here.capitalize()} cannot be {'opened' if verb == 'open' else 'closed'}."
            if self.open[self.at] == (verb == "open"):
                return f"{here.capitalize()} is {'open' if verb == 'open' else 'closed'} already."
            self.open[self.at] = verb == "open"
            return f"You open {here}. {self.contents(self.at)}" if verb == "open" else f"You close {here}."
        if verb == "use":
            for lamp, stands in enumerate(self.house["lamps"]):
                if stands == self.at and name == f"lamp {lamp + 1}":
                    self.lit[lamp] = not self.lit[lamp]
                    return f"You switch {name} {'on' if self.lit[lamp] else 'off'}."
            return f"There is no {name} to be used at {here}."
        if verb in DEVICES:
            if self.kind(self.at) != DEVICES[verb]:
                return f"To {verb} something, stand at a {DEVICES[verb]}."
            condition = self.condition[self.holding]
            if verb != "clean":
                condition -= {"hot", "cold"}
            condition.add({"clean": "clean", "heat": "hot", "cool": "cold"}[verb])
            return f"You {verb} {name} {'in' if verb == 'clean' else 'with'} {here}."
        if self.shut(self.at):
            return f"{here.capitalize()} is closed."
        if verb == "take":
            if name not in self.things or self.where[self.things.index(name)] != self.at:
                return f"There is no {name} {self.preposition(self.at)} {here}."
            if self.holding is not None:
                return f"Your hands are full: you carry {self.things[self.holding]}."
            self.holding = self.things.index(name)
            self.where[self.holding] = None
            return f"You take {name} from {here}."
        self.where[self.holding], self.holding = self.at, None
        return f"You put {name} {self.preposition(self.at)} {here}."

    def fulfilled(self):
        goal = self.house["goal"]
        kinds = [thing["kind"] for thing in self.house["things"]]
        if goal["task"] == "light":
            return (self.holding is not None and kinds[self.holding] == goal["object"]
                    and any(lit and stands == self.at for lit, stands in zip(self.lit, self.house["lamps"])))
        wanted = {"clean": "clean", "heat": "hot", "cool": "cold"}.get(goal["task"])
        found = {}
        for thing, place in enumerate(self.where):
            if place is not None and kinds[thing] == goal["object"] and self.kind(place) == goal["place"]:
                if wanted is None or wanted in self.condition[thing]:
                    found[place] = found.get(place, 0) + 1
        return max(found.values(), default=0) >= (2 if goal["task"] == "two" else 1)


def solving_commands(row):
    calls = [call for turn in json.loads(row["reference"]) for call in turn["tool_calls"]]
    return [(call["name"], call["arguments"].get("object") or call["arguments"].get("place", "")) for call in calls]


def random_commands(house, count, draw):
    commands = []
    for _ in range(count):
        verb = draw.choice(["go", "go", "go", "open", "open", "close", "take", "take", "put", "clean", "heat", "cool", "use", "look"])
        if verb in ("go", "open", "close"):
            name = draw.choice(house.house["rooms"] if verb == "go" and draw.random() < 0.3 else house.places)
        else:
            name = "" if verb == "look" else f"lamp {draw.randint(1, 2)}" if verb == "use" else draw.choice(house.things)
        commands.append((verb, name))
    return commands


def replies(parameter, commands):
    house = House(parameter)
    answers = []
    for verb, name in commands:
        answers.append(house.perform(verb, name))
        if house.fulfilled():
            break
    return answers


def compare(redqueen, level, seed, parameter, commands):
    said = subprocess.run([redqueen, "gym", "play", "household", "--level", str(level), "--seed", str(seed)], check=True, text=True,
                          capture_output=True, input="".join(f"> {verb} {name}\n" for verb, name in commands)).stdout
    ours = [line for line in said[said.rindex("\n  look("):].split("\n")[2:] if line and not line.startswith("----")]
    for command, ours_said, python_said in zip(commands, ours, replies(parameter, commands), strict=False):
        if ours_said != python_said:
            raise SystemExit(f"household_python: level {level}, seed {seed}, {command}:\n  {ours_said}\n  {python_said}")
    return len(ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("redqueen")
    parser.add_argument("--level", type=int, default=5)
    parser.add_argument("--problems", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    made = subprocess.run([options.redqueen, "gym", "generate", "household", "--split", "test", "--level", str(options.level),
                           "--count", str(options.problems)], check=True, text=True, capture_output=True).stdout
    rows = [json.loads(line) for line in made.splitlines()]
    draw = random.Random(1)
    plays, sentences = [], 0
    for row in rows:
        parameter = row["parameter"]
        wandering = random_commands(House(parameter), 20, draw)
        sentences += compare(options.redqueen, options.level, row["seed"], parameter, wandering + solving_commands(row))
        plays += [(parameter, wandering), (parameter, solving_commands(row))]
    turns, start = 0, time.process_time()
    while (seconds := time.process_time() - start) < options.seconds:
        for parameter, commands in plays:
            turns += len(replies(parameter, commands))
    ours = json.loads(subprocess.run([options.redqueen, "bench", "worlds", "household", "--levels", str(options.level), "--seconds",
                                      str(options.seconds), "--json"], check=True, text=True, capture_output=True).stdout)
    rate = ours["turns_per_second"]
    print(f"{sentences} sentences agree")
    print(f"level {options.level}: Python {turns / seconds:,.0f} turns/s, redqueen {rate:,.0f} turns/s, {rate * seconds / turns:.1f} times")


main()
