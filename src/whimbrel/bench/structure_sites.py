"""Sites in files, of several generators, and the rule by which each says the kind of a page.

The rules are of the generator, not of the site: names of files, which no matcher sees. Kinds that a generator fills
from one template are one kind here. Four rules were mended after a first look (docs/structure.md names them).

    Doxygen     class, struct and union; index are the alphabetical and other lists of members; frames of the search box
                are no pages
    Sphinx      what is written by hand is one kind (prose) wherever it stands; library and c-api are Python's manuals
                of objects; of pages that autosummary writes for each object, a class has members with pages of their
                own; tables of contents are of no kind
    Javadoc     class, interface, enum, record, exception and annotation; uses of a class and of a package
    QDoc        the page of a class is one beside which stands the list of its members
    rustdoc     struct, enum and union; module and crate
    gi-docgen   class, interface, struct and union; method, function and constructor; enum, flags and error domain
    DocBook     reference entries (commands) and sections of the book
    a wiki      as in `cppreference`
    ocamldoc    module, class and functor; the signature of each (a name that begins with type_)
    YARD        class and module; files written by hand
    LDoc        module and class; topics written by hand
    FPDoc       units, lists of a unit, classes (beside them stand the lists of their members), those lists, members of
                a class, and all other identifiers
    erl_docgen  modules (those with a chunk), release notes, title pages; no name tells chapters from commands
    Scaladoc    class, trait and object; packages; the alphabetical index
    AsciiDoc    pages of the manual (commands, formats, guides); texts on how and why
    gtk-doc     types; what belongs to none (a name that begins with the library's); the alphabetical index
    PasDoc      class, record, object and interface (a unit's name and theirs); units; lists of all
    GRASS's     tools (names with a dot); lists of a topic
    Apache's    modules; all other texts
    CMake       Sphinx: commands, modules, policies, releases, manuals, generators; variables and properties are one
    odoc        class and class type; module, module type and argument of a functor; front pages of packages are none
    pydoctor    class; module; guides
    Scribble    class and interface of the libraries for windows; texts that others wrote (SRFI); all other texts
    SQLite's    pages of its C interface; of a release; of a diagram of the grammar; all other texts

A page that no rule names is of no kind: it belongs to the site, and is not judged.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from msgspec import Struct

from whimbrel.bench import cppreference

Rules = tuple[tuple[str, str], ...]

_DOXYGEN: Rules = (
    ("", r"(?:.*/)?search/.+\.html"),
    ("members", r"(?:.*/)?[^/]+-members\.html"),
    ("source", r"(?:.*/)?[^/]+_source\.html"),
    ("file", r"(?:.*/)?[^/]+_8(?:h|hpp|hxx|cpp|inl)\.html"),
    ("folder", r"(?:.*/)?dir_[0-9a-f]+\.html"),
    ("group", r"(?:.*/)?group__[^/]+\.html"),
    ("namespace", r"(?:.*/)?namespace[^/]+\.html"),
    ("class", r"(?:.*/)?(?:class|struct|union)[A-Z_a-z0-9]+\.html"),
    ("index", r"(?:.*/)?(?:functions|globals|namespacemembers)(?:_[a-z_0-9]+)?\.html"),
)
_PYTHON: Rules = (
    ("", r".+/index\.html"),
    ("index", r"genindex-.+\.html"),
    ("library", r"library/.+\.html"),
    ("c-api", r"c-api/.+\.html"),
    ("prose", r"(?:distributing|distutils|extending|faq|howto|install|installing|tutorial|using|whatsnew)/.+\.html"),
)
_SCIPY: Rules = (
    ("", r".+/index\.html"),
    ("member", r"reference/generated/[^/]+\.html"),
    ("list", r"reference/[^/]+\.html"),
    ("prose", r"(?:tutorial|dev|building|release)/.+\.html|release\.[^/]+\.html"),
)
_PANDAS: Rules = (
    ("", r".+/index\.html"),
    ("member", r"reference/api/[^/]+\.html"),
    ("list", r"reference/[^/]+\.html"),
    ("prose", r"(?:user_guide|whatsnew|getting_started|development)/.+\.html"),
)
_JAVADOC: Rules = (
    ("use", r".*/class-use/[^/]+\.html|.*/package-use\.html"),
    ("tree", r".*/package-tree\.html"),
    ("package", r".*/package-summary\.html"),
    ("module", r"[^/]+/module-summary\.html"),
    ("index", r"index-files/.+\.html"),
    ("source", r"src-html/.+\.html"),
    ("class", r".*/[A-Z][A-Za-z0-9_.]*\.html"),
)
_RUSTDOC: Rules = (
    ("source", r"src/.+\.rs\.html"),
    ("type", r".*/(?:struct|enum|union)\.[^/]+\.html"),
    ("trait", r".*/trait\.[^/]+\.html"),
    ("function", r".*/fn\.[^/]+\.html"),
    ("macro", r".*/macro\.[^/]+\.html"),
    ("constant", r".*/(?:constant|static)\.[^/]+\.html"),
    ("module", r"(?:alloc|core|proc_macro|std|test)/(?:.*/)?index\.html"),
)
_HADDOCK: Rules = (
    ("source", r"(?:.*/)?src/.+\.html"),
    ("index", r"(?:.*/)?doc-index-.+\.html"),
    ("module", r"(?:.*/)?[A-Z][A-Za-z0-9]*(?:-[A-Z][A-Za-z0-9]*)*\.html"),
)
_GI_DOCGEN: Rules = (
    ("type", r"(?:.*/)?(?:class|iface|struct|union)\.[^/]+\.html"),
    ("function", r"(?:.*/)?(?:method|func|ctor|class_method|type_func|vfunc)\.[^/]+\.html"),
    ("enum", r"(?:.*/)?(?:enum|flags|error)\.[^/]+\.html"),
    ("property", r"(?:.*/)?property\.[^/]+\.html"),
    ("signal", r"(?:.*/)?signal\.[^/]+\.html"),
    ("constant", r"(?:.*/)?const\.[^/]+\.html"),
)
_DOCBOOK: Rules = (
    ("command", r"(?:sql|app)-[^/]+\.html"),
    ("section", r"(?!.*index\.html)(?!biblio)[^/]+\.html"),
)


_OCAMLDOC: Rules = (
    ("signature", r"type_[A-Z][^/]*\.html"),
    ("index", r"index_[^/]+\.html"),
    ("module", r"[A-Z][^/]*\.html"),
)
_YARD: Rules = (
    ("prose", r"file\.[^/]+\.html"),
    ("class", r"(?:[A-Z][^/]*/)*[A-Z][^/]*\.html"),
)
_LDOC: Rules = (
    ("module", r"(?:classes|libraries|modules)/[^/]+\.html"),
    ("prose", r"documentation/[^/]+\.html"),
)
_FPDOC: Rules = (
    ("unit", r"[^/]+/[^/]+/index\.html"),
    ("list", r"[^/]+/[^/]+/index-\d+\.html"),
    ("operator", r"[^/]+/[^/]+/op-[^/]+\.html"),
    ("members", r"[^/]+/[^/]+/[^/.]+-\d+\.html"),
    ("member", r"[^/]+/[^/]+/[^/.]+\.[^/]+\.html"),
    ("identifier", r"[^/]+/[^/]+/[^/.]+\.html"),
)
_ERLANG: Rules = (
    ("notes", r".+/notes\.html"),
    ("front", r".+/(?:index|users_guide|release_notes)\.html"),
)
_SCALADOC: Rules = (
    ("index", r"(?:.*/)?index/index-[^/]+\.html"),
    ("package", r"(?:.*/)?package\.html"),
    ("class", r"(?:.*/)?[A-Z][^/]*\.html"),
)
_ASCIIDOC: Rules = (
    ("manual", r"git[^/]*\.html"),
    ("prose", r"(?:howto|technical)/[^/]+\.html"),
)
_GTK_DOC: Rules = (
    ("index", r"api-index-[^/]+\.html"),
    ("type", r"G[A-Z]?[a-z]+[A-Z][^/]*\.html"),
    ("functions", r"gtk3-[^/]+\.html"),
)
_SQLITE: Rules = (
    ("", r"(?:.*/)?index\.html"),
    ("function", r"(?:c3ref|session)/[^/]+\.html"),
    ("release", r"releaselog/[^/]+\.html"),
    ("diagram", r"syntax/[^/]+\.html"),
    ("prose", r"[^/]+\.html"),
)
_PASDOC: Rules = (
    ("index", r"All[A-Z]\w*\.html"),
    ("class", r"[A-Z]\w*\.\w+\.html"),
    ("unit", r"[A-Z]\w*\.html"),
)
_GRASS: Rules = (
    ("topic", r"(?:.*/)?topic_[^/]+\.html"),
    ("tool", r"(?:.*/)?[a-z0-9]+\.[a-z0-9._]+\.html"),
)
_APACHE: Rules = (
    ("", r"(?:.*/)?index\.html"),
    ("module", r"mod/(?:mod_|mpm_|core|event|worker|prefork)[^/]*\.html"),
    ("prose", r".+\.html"),
)
_CMAKE: Rules = (
    ("command", r"command/.+\.html"),
    ("module", r"module/.+\.html"),
    ("policy", r"policy/.+\.html"),
    ("release", r"release/[0-9].+\.html"),
    ("manual", r"manual/.+\.html"),
    ("entry", r"(?:variable|envvar|prop_[a-z]+)/.+\.html"),
    ("generator", r"generator/.+\.html"),
)
_ODOC: Rules = (
    ("", r"[^/]+/index\.html|index\.html"),
    ("class", r".+/class-[^/]+/index\.html"),
    ("module", r".+/[A-Za-z][^/]*/index\.html"),
)
_PYDOCTOR: Rules = (
    ("", r"(?:.*/)?(?:index|moduleIndex|classIndex|nameIndex|undoccedSummary|apidocs-help)\.html"),
    ("class", r"api/(?:[a-z_0-9]+\.)+_*[A-Z][^./]*\.html"),
    ("module", r"api/[a-z_0-9.]+\.html"),
    ("prose", r".*howto/.+\.html"),
)
_SCRIBBLE: Rules = (
    ("", r"(?:.*/)?(?:index|doc-index|doc-bibliography)\.html"),
    ("srfi", r"srfi/srfi-std/.+\.html"),
    (
        "class",
        r"(?:gui|draw|framework|embedded-gui|mrlib|drracket-tools|pict-snip)/[a-z0-9-]+_(?:__)?\.html",
    ),
    ("prose", r"[^/]+/[^/]+\.html"),
)


class KindsSite(Struct, frozen=True):
    """`kind_of` says the kind of a page by its path in the folder, or ""."""

    name: str
    generator: str
    package: str
    folder: Path
    kind_of: Callable[[Path, str], str]


def by_rules(rules: Rules) -> Callable[[Path, str], str]:
    """The first rule that the path meets names the kind."""
    return partial(_first, rules)


def _first(rules: Rules, folder: Path, path: str) -> str:
    return next((kind for kind, pattern in rules if re.fullmatch(pattern, path)), "")


def of_objects(rules: Rules, folder: Path, path: str) -> str:
    """A class is an object beside whose page stand those of its members."""
    kind = _first(rules, folder, path)
    return "class" if kind == "member" and path[: -len(".html")] in _owners(folder) else kind


@cache
def _owners(folder: Path) -> frozenset[str]:
    """The paths of pages, less their ending, below which others are named."""
    names = (path.relative_to(folder).as_posix().removesuffix(".html") for path in folder.glob("reference/*/*.html"))
    return frozenset(name.rpartition(".")[0] for name in names)


def qdoc(folder: Path, path: str) -> str:
    """QDoc's names say all but which page is a class's: beside that one stands the list of its members."""
    name = path.rpartition("/")[2]
    for kind in ("members", "obsolete", "example"):
        if name.endswith(f"-{kind}.html"):
            return kind
    if not (folder / path).with_name(name.replace(".html", "-members.html")).exists():
        return ""
    return "QML type" if name.startswith("qml-") else "class"


def fpdoc(folder: Path, path: str) -> str:
    """A class is an identifier beside which stand the lists of its members; operators are written as functions are."""
    kind = _first(_FPDOC, folder, path)
    if kind == "identifier" and (folder / path).with_name(f"{Path(path).stem}-1.html").exists():
        return "class"
    return "identifier" if kind == "operator" else kind


def erl_docgen(folder: Path, path: str) -> str:
    """A module is what has a chunk of documentation that the shell shows."""
    if kind := _first(_ERLANG, folder, path):
        return kind
    chunk = (folder / path).parent.parent / "chunks" / f"{Path(path).stem}.chunk"
    return "module" if chunk.exists() else ""


_DOC = Path("/usr/share/doc")


def _site(name: str, generator: str, package: str, folder: str, rules: Rules) -> KindsSite:
    return KindsSite(name, generator, package, _DOC / folder, by_rules(rules))


SITES = (
    _site("eigen", "Doxygen", "libeigen3-doc", "libeigen3-dev/html", _DOXYGEN),
    _site("wxwidgets", "Doxygen", "wx3.2-doc", "wx3.2-doc/html", _DOXYGEN),
    _site("sfml", "Doxygen", "libsfml-doc", "libsfml-dev/html", _DOXYGEN),
    _site("python", "Sphinx", "python3.11-doc", "python3.11/html", _PYTHON),
    KindsSite("pandas", "Sphinx", "python-pandas-doc", _DOC / "python-pandas-doc/html", partial(of_objects, _PANDAS)),
    _site("openjdk", "Javadoc", "openjdk-17-doc", "openjdk-17-jre-headless/api", _JAVADOC),
    _site("commons-lang", "Javadoc", "libcommons-lang3-java-doc", "libcommons-lang3-java/api", _JAVADOC),
    KindsSite("qtbase", "QDoc", "qtbase5-doc-html", Path("/usr/share/qt5/doc"), qdoc),
    _site("rust", "rustdoc", "rust-doc", "rust-doc/html", _RUSTDOC),
    _site("haskell", "Haddock", "libghc-lens-doc", "libghc-lens-doc/html", _HADDOCK),
    _site("gtk", "gi-docgen", "libgtk-4-doc", "libgtk-4-doc/gtk4", _GI_DOCGEN),
    _site("postgresql", "DocBook", "postgresql-doc-15", "postgresql-doc-15/html", _DOCBOOK),
    KindsSite("cppreference", "a wiki", cppreference.SITE.package, cppreference.SITE.folder, cppreference.SITE.kind_of),
)

LATER = (
    _site("batteries", "ocamldoc", "libbatteries-ocaml-doc", "libbatteries-ocaml-doc/html/api", _OCAMLDOC),
    _site("ocamlnet", "ocamldoc", "libocamlnet-ocaml-doc", "libocamlnet-ocaml/html-main", _OCAMLDOC),
    _site("yard", "YARD", "yard-doc", "yard/doc", _YARD),
    _site("awesome", "LDoc", "awesome-doc", "awesome/doc", _LDOC),
    KindsSite("fpc", "FPDoc", "fp-docs", _DOC / "fp-docs/3.2.2", fpdoc),
    KindsSite("erlang", "erl_docgen", "erlang-doc", _DOC / "erlang-doc", erl_docgen),
    _site("scala", "Scaladoc", "scala-doc", "scala-2.11/api", _SCALADOC),
    _site("fltk", "Doxygen", "fltk1.3-doc", "fltk1.3-doc/HTML", _DOXYGEN),
    _site("commons-io", "Javadoc", "libcommons-io-java-doc", "libcommons-io-java/api", _JAVADOC),
    KindsSite("scipy", "Sphinx", "python-scipy-doc", _DOC / "python-scipy-doc/html", partial(of_objects, _SCIPY)),
    _site("git", "AsciiDoc", "git-doc", "git-doc", _ASCIIDOC),
    KindsSite("gtk3", "gtk-doc", "libgtk-3-doc", Path("/usr/share/gtk-doc/html/gtk3"), by_rules(_GTK_DOC)),
    _site("sqlite", "SQLite's", "sqlite3-doc", "sqlite3", _SQLITE),
    _site("castle", "PasDoc", "castle-game-engine-doc", "castle-game-engine-doc/reference", _PASDOC),
    _site("grass", "GRASS's", "grass-doc", "grass-doc", _GRASS),
    _site("apache", "Apache's", "apache2-doc", "apache2-doc/manual/en", _APACHE),
    _site("cmake", "Sphinx", "cmake-doc", "cmake-data/html", _CMAKE),
    _site("xerces", "Doxygen", "libxerces-c-doc", "libxerces-c-doc", _DOXYGEN),
    _site("collections", "Javadoc", "libcommons-collections4-java-doc", "libcommons-collections4-java/api", _JAVADOC),
    _site("jfreechart", "Javadoc", "libjfreechart-java-doc", "libjfreechart-java/javadoc", _JAVADOC),
    _site("jsofocaml", "odoc", "libjs-of-ocaml-doc", "libjs-of-ocaml-doc/api", _ODOC),
    _site("twisted", "pydoctor", "twisted-doc", "twisted-doc/html", _PYDOCTOR),
    _site("racket", "Scribble", "racket-doc", "racket", _SCRIBBLE),
)
"""Their rules were written from the names of their files alone and not mended afterwards; they choose no constant."""
