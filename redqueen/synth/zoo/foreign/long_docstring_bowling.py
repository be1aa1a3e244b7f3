# expect: sound
"""Bowling scores.

This module defines an environment about ten-pin bowling as it is played by amateurs. We follow the traditional rules of
scoring, in which a strike earns the next two rolls on top and a spare earns the next roll on top. The last frame has up to
three rolls. All values in this docstring (300, 12, 42) are for the reader only and have nothing to do with the problems.
"""


class BowlingScore(VerifiableEnvironment):
    """Score the first frames of a game of bowling.

    Attributes
    ----------
    frames : list of list of int
        The rolls, frame by frame. A strike is a frame with one roll.
    """

    prompt_template = (
        "Someone bowls these frames: {frames}. A frame ends after two rolls, or after one roll that fells all 10 pins (a "
        "strike). A frame's score is the number of pins it fells; a strike also adds the pins of the next two rolls, and a "
        "spare (10 pins with two rolls) adds the pins of the next roll. Rolls that have not been made count as 0. What is "
        "the total over all frames that are shown?")

    def _generate(self, seed, difficulty):
        """Draw frames with a good share of strikes and spares, then add up."""
        rng = Random(seed)
        self.frames = []
        for _ in range(3 + difficulty):
            first = rng.choice([10, rng.randint(0, 9), rng.randint(0, 9)])
            if first == 10:
                self.frames.append([10])
            else:
                second = rng.choice([10 - first, rng.randint(0, 10 - first)])
                self.frames.append([first, second])
        rolls = [pins for frame in self.frames for pins in frame]
        total, at = 0, 0
        for frame in self.frames:
            bonus = 3 if sum(frame) == 10 else len(frame)
            total += sum(rolls[at:at + bonus])
            at += len(frame)
        self.ref_answer = total

    def _prompt_generate(self):
        """Render the frames with slashes between their rolls."""
        return self.prompt_template.format(frames=", ".join("/".join(map(str, frame)) for frame in self.frames))

    def _process(self, response):
        """One integer."""
        return parse_int(response)

    def scorer(self, parsed):
        """All or nothing."""
        return 1.0 if parsed == self.ref_answer else 0.0
