"""Names that documents set in backticks, looked up in the source without importing it."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "whimbrel"

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/?")
_FILE = re.compile(r"[\w.*-]+\.(?:sqlite|json|key|sock|lock|log|gz|toml|md|txt)")


def in_backticks(text: str) -> list[str]:
    """Each once, with line breaks as spaces; a call is named without what it is given."""
    found = (" ".join(code.split()).split("(")[0] for code in _CODE.findall(_FENCE.sub("", text)))
    return list(dict.fromkeys(found))


def is_dotted(name: str) -> bool:
    return bool(_DOTTED.fullmatch(name)) and not _FILE.fullmatch(name) and not name.endswith(".py")


def is_path(name: str) -> bool:
    return bool(_PATH.fullmatch(name)) and ("/" in name or name.endswith((".py", ".md", ".toml")))


def is_file_of_a_folder(name: str) -> bool:
    return bool(_FILE.fullmatch(name.rpartition("/")[2])) and not path_exists(name)


def path_exists(name: str) -> bool:
    return any((place / name).exists() for place in (ROOT, SOURCE))


def resolves(name: str) -> bool:
    """Whether a dotted name below `whimbrel` is a module, or something that one defines."""
    place, parts = SOURCE, name.removeprefix("whimbrel.").split(".")
    while parts and (place / parts[0]).is_dir():
        place = place / parts.pop(0)
    if parts and (place / f"{parts[0]}.py").exists():
        place = place / f"{parts.pop(0)}.py"
    elif place.is_dir():
        place = place / "__init__.py"
    return place.exists() and _defines(_tree(place), parts)


def source_of(name: str) -> str:
    """The text of the module or package that a dotted name or a path names; "" where there is none."""
    if (ROOT / name).is_file():
        return (ROOT / name).read_text("utf-8")
    steps = name.removeprefix("whimbrel.").removesuffix(".py").strip("/").replace("/", ".").split(".")
    for end in range(len(steps), 0, -1):
        place = SOURCE.joinpath(*steps[:end])
        if place.with_suffix(".py").exists():
            return place.with_suffix(".py").read_text("utf-8")
        if place.is_dir():
            return "\n".join(one.read_text("utf-8") for one in sorted(place.glob("*.py")))
    return ""


@cache
def _tree(place: Path) -> ast.Module:
    return ast.parse(place.read_text("utf-8"))


def _defines(scope: ast.AST, parts: list[str]) -> bool:
    if not parts:
        return True
    first, *rest = parts
    found = _members(scope).get(first)
    return found is not None and _defines(found, rest)


def _members(scope: ast.AST) -> dict[str, ast.AST]:
    """What a module or a class defines or imports, and what the methods of a class give `self`."""
    members: dict[str, ast.AST] = {}
    if isinstance(scope, ast.ClassDef):
        members |= {node.attr: node for node in ast.walk(scope) if _is_own(node)}
    for node in ast.iter_child_nodes(scope):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                members[name] = node
            case ast.ImportFrom(names=names) | ast.Import(names=names):
                members |= {alias.asname or alias.name: node for alias in names}
            case ast.Assign(targets=targets):
                members |= {name: node for target in targets for name in _assigned(target)}
            case ast.AnnAssign(target=target):
                members |= dict.fromkeys(_assigned(target), node)
    return members


def _is_own(node: ast.AST) -> TypeGuard[ast.Attribute]:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
            return True
    return False


def _assigned(target: ast.AST) -> list[str]:
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=parts):
            return [name for part in parts for name in _assigned(part)]
    return []
