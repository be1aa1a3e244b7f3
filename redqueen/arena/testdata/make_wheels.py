"""make_wheels.py FOLDER NAME==VERSION…: wheels that pip takes for these distributions and that hold one empty module each."""
import pathlib
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for word in sys.argv[2:]:
    name, version = word.split("==")
    name = name.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name.lower()}_module.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: make_wheels\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files = "".join(f"{file},,\n" for file in [*wheel.namelist(), f"{info}/RECORD"])
        wheel.writestr(f"{info}/RECORD", files)
