"""A WordPress as Debian packages it, with a MariaDB of its own, some posts and comments."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from servers import free_port, php, running

PROGRAM = Path("/usr/share/wordpress")
NEEDS = (
    "/usr/share/wordpress/wp-load.php",
    "/usr/share/wordpress/wp-content/themes/twentytwentythree/style.css",
    "/usr/bin/php",
    "/usr/sbin/mariadbd",
)
_ASKED = Path(__file__).with_name("wordpress.php")
_SETTINGS = """<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:{socket}'); define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
"""
_ROUTER = """<?php
if (is_file($_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH))) return false;
$_SERVER['SCRIPT_NAME'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
"""
TEXT = "The {thing} is sown in {month}.\n\nIt wants {want}, and is picked when the leaves begin to turn."


@dataclass(frozen=True)
class WordPress:
    url: str
    root: Path

    def ask(self, verb: str, *arguments: str, text: str = "") -> int:
        command = ["php", str(_ASKED), str(self.root), verb, *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return int(done.stdout.strip() or 0)

    def post(self, title: str, text: str, when: str = "") -> int:
        return self.ask("post", title, *filter(None, [when]), text=text)

    def edit(self, post: int, text: str) -> None:
        self.ask("edit", str(post), text=text)

    def comment(self, post: int, words: str, name: str = "A reader") -> None:
        self.ask("comment", str(post), words, name)


@contextmanager
def wordpress(folder: Path, posts: int = 12) -> Iterator[WordPress]:
    """The stock installation with its theme, and posts of which every other has two comments."""
    folder.mkdir(parents=True, exist_ok=True)
    root, data, socket = folder / "site", folder / "data", folder / "db.sock"
    shutil.copytree(PROGRAM, root, ignore_dangling_symlinks=True)
    (root / "wp-config.php").write_text(_SETTINGS.format(socket=socket))
    (folder / "router.php").write_text(_ROUTER)
    user = ["--user=root"]
    made = [
        "mariadb-install-db",
        "--no-defaults",
        "--auth-root-authentication-method=normal",
        f"--datadir={data}",
        *user,
    ]
    subprocess.run(made, capture_output=True, check=True)
    server = ["mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={socket}", "--skip-networking", *user]
    with running(server, folder / "db.log", "ready for connections"):
        subprocess.run(["mariadb", f"--socket={socket}", "-uroot", "-e", "create database wordpress"], check=True)
        port = free_port()
        with php(root, port, folder / "php.log", router=folder / "router.php") as url:
            site = WordPress(url, root)
            site.ask("install", url)
            months = ("March", "April", "May", "June")
            for number in range(posts):
                text = TEXT.format(
                    thing=f"bean number {number}", month=months[number % 4], want=f"{number + 2} hours of sun"
                )
                post = site.post(f"Bean {number}", text)
                for reader in ("Ada", "Grace")[: 2 * (number % 2)]:
                    site.comment(post, f"Mine came up in {months[(number + 1) % 4]}.", reader)
            yield site
