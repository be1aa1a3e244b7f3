"""read_with_tensorboard FOLDER: the scalars that the package tensorboard finds, as JSON lines [tag, step, time, value]. For
checks by hand: the package is large and none of this project's (docs/watch.md says which release read our files)."""
import json
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "tensors": 0})
events.Reload()
for tag in events.Tags()["scalars"]:
    for scalar in events.Scalars(tag):
        print(json.dumps([tag, scalar.step, scalar.wall_time, scalar.value]))
