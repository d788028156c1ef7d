"""Every view held against axe-core, which knows the rules of WCAG 2.2."""

import subprocess
import tarfile
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha512
from shutil import which
from typing import Any

import pytest
from test_browser import OPENED, VIEWS

Tab = Any
PACKAGE = "axe-core@4.14.0"
INTEGRITY = "sha512-9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
# Frames of other origins are not looked into: a copy is not ours to judge.
LOOKED = """() => axe.run(document, { iframes: false })
  .then(told => told.violations.map(each => `${each.id}: ${each.nodes.map(node => node.html).join(" ")}`))"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    npm = which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("axe")
    said = subprocess.run([npm, "pack", PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
    if said.returncode:
        pytest.skip(f"npm could not get {PACKAGE}: {said.stderr.strip()[-200:]}")
    (archive,) = folder.glob("*.tgz")
    assert "sha512-" + b64encode(sha512(archive.read_bytes()).digest()).decode() == INTEGRITY
    with tarfile.open(archive) as packed:
        member = packed.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.mark.long
@pytest.mark.parametrize("view", [*VIEWS, *OPENED])
def test_axe_finds_nothing(tab: Callable[..., Tab], axe: str, view: str) -> None:
    for screen, scheme in ((PHONE, "light"), (PHONE, "dark"), (DESK, "light"), (DESK, "dark")):
        page = tab(viewport=screen, color_scheme=scheme, bypass_csp=True)
        page.goto(VIEWS[view] if view in VIEWS else OPENED[view][0])
        if view in OPENED:
            if page.locator(".fold").is_visible() and not page.locator(OPENED[view][1]).first.is_visible():
                page.click(".fold")
            page.locator(OPENED[view][1]).first.click()
        page.evaluate(axe)
        assert page.evaluate(LOOKED) == [], (screen, scheme)
        page.close()
