"""The types of the web client, as its comments declare them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from planner.service.static_files import FOLDER

PROJECT = FOLDER.with_name("tsconfig.json")


@pytest.mark.skipif(shutil.which("tsc") is None, reason="tsc is not installed")
def test_the_client_has_no_type_errors() -> None:
    done = subprocess.run(["tsc", "-p", str(PROJECT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
