"""Run by pywb's own Python: indexes WARC files and answers, for every URL on standard input, what a reader gets."""

import base64
import json
import os
import sys
from pathlib import Path

from gevent import monkey

monkey.patch_all()

from pywb.apps.frontendapp import FrontEndApp  # noqa: E402
from pywb.manager.manager import main as manage  # noqa: E402
from werkzeug.test import Client  # noqa: E402


def replay(folder: Path, archives: list[str], urls: list[str]) -> dict[str, dict[str, object]]:
    folder.mkdir(parents=True)
    os.chdir(folder)
    manage(["init", "kept"])
    manage(["add", "kept", *archives])
    client = Client(FrontEndApp(config_file=None))
    answers: dict[str, dict[str, object]] = {}
    for url in urls:
        # id_: as it was received, nothing rewritten.
        answer = client.get(
            f"/kept/2099id_/{url}", follow_redirects=True, headers={"Accept-Encoding": "gzip, br, zstd, deflate"}
        )
        answers[url] = {
            "status": answer.status_code,
            "coding": answer.headers.get("Content-Encoding", ""),
            "body": base64.b64encode(answer.get_data()).decode(),
        }
    return answers


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    out, sys.stdout = sys.stdout, sys.stderr
    json.dump(replay(Path(asked["folder"]), asked["archives"], asked["urls"]), out)
    out.flush()
    os._exit(0)
