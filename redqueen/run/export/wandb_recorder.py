"""wandb_recorder NAME FOLDER < ROWS: records the metrics of a finished run with the package wandb, offline.

Exit code 3 says that the package is not there."""
import json
import sys

try:
    import wandb
except ImportError:
    sys.exit(3)

name, folder = sys.argv[1:]
run = wandb.init(project="redqueen", name=name, dir=folder, mode="offline", settings=wandb.Settings(silent=True))
for line in sys.stdin:
    row = json.loads(line)
    step = row.pop("step")
    row["_timestamp"] = row.pop("time")
    run.log(row, step=step)
run.finish()
