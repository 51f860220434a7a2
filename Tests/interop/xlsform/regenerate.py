#!/usr/bin/env python3
"""Makes expected/*.txt anew: what pyxform makes of forms/*.md, as summary.py says it.

    python3 -m venv /tmp/xlsform && /tmp/xlsform/bin/pip install pyxform==4.5.0
    /tmp/xlsform/bin/python Tests/interop/xlsform/regenerate.py

With a folder of XForms it also runs ODK Validate, which comes with pyxform and wants Java. The
tests write theirs into such a folder where they are told one:

    SHARED_XFORM_FOLDER=/tmp/xforms swift test --filter XLSFormTests
    /tmp/xlsform/bin/python Tests/interop/xlsform/regenerate.py /tmp/xforms

The tests themselves need neither: they compare with what is committed.
"""

import pathlib
import subprocess
import sys
import tempfile

import pyxform
from pyxform.xls2xform import convert

import summary

HERE = pathlib.Path(__file__).parent


def main():
    with tempfile.TemporaryDirectory() as folder:
        for form in sorted((HERE / "forms").glob("*.md")):
            xform = pathlib.Path(folder) / "form.xml"
            xform.write_text(convert(str(form)).xform, encoding="utf-8")
            lines = summary.summary(xform)
            (HERE / "expected" / (form.stem + ".txt")).write_text(
                "\n".join(lines) + "\n", encoding="utf-8")
            print(form.stem, len(lines))
    if len(sys.argv) < 2:
        return 0
    jar = pathlib.Path(pyxform.__file__).parent / "validators/odk_validate/bin/ODK_Validate.jar"
    xforms = sorted(str(path) for path in pathlib.Path(sys.argv[1]).glob("*.xml"))
    run = subprocess.run(["java", "-jar", jar, *xforms], capture_output=True, text=True)
    valid = (run.stdout + run.stderr).count(">> Xform is valid!")
    print(f"{valid} of {len(xforms)} valid")
    if valid != len(xforms):
        print(run.stdout, run.stderr)
    return 0 if valid == len(xforms) else 1


if __name__ == "__main__":
    sys.exit(main())
