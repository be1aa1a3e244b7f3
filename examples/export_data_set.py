#!/usr/bin/env python3
"""Writes problems in the form that a trainer reads: JSON lines, or Parquet where the file is called so.

    python examples/export_data_set.py Sorting,Multiplication --levels 0,1,2 --size 1000 --for verl --out train.parquet
"""
import argparse
import json
import sys

import redqueen
from redqueen.adapters import _source, nemo_gym, slime, verl

FORMS = {"verl": verl.rows, "slime": slime.rows, "nemo-gym": nemo_gym.rows,
         "plain": lambda suite, levels, size, split, seed, url: _source.source(url).dataset(suite, levels, size, split, seed)}


def levels(text):
    return [int(level) for level in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--levels", default="0", type=levels, help="whole numbers, with commas between")
    parser.add_argument("--size", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--split", choices=["train", "test"], default="train")
    parser.add_argument("--for", dest="form", choices=[*FORMS], default="plain")
    parser.add_argument("--out", required=True)
    parser.add_argument("--url", help="servers; without it, and without $REDQUEEN_URL, the engine in this process")
    options = parser.parse_args()

    try:
        rows = FORMS[options.form](options.suite, options.levels, options.size, options.split, options.seed, url=options.url)
        if options.out.endswith(".parquet"):
            import datasets

            datasets.Dataset.from_list(rows).to_parquet(options.out)
        else:
            with open(options.out, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    except redqueen.UsageError as error:  # an unknown suite, a level that it has not
        parser.error(str(error))
    except ImportError:
        sys.exit(f"{parser.prog}: Parquet needs the package datasets: pip install datasets, or name a file that ends in .jsonl")
    except (redqueen.Error, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    print(f"{len(rows)} problems in {options.out}")


if __name__ == "__main__":
    main()
