"""The protocol as real clients speak it: the package's own over a process and over HTTP, and one from npm."""

import asyncio
import json
import shutil
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from asked_world import GUIDE, SECRET

if find_spec("mcp") is None:
    pytest.skip("the extra `agents` is not installed", allow_module_level=True)
pytest.importorskip("starlette", reason="the extra `search` is not installed")

from commands import WHIMBREL, run
from whimbrel.agents.asked import TOOLS
from whimbrel.web.server import Background, OpenedServer
from whimbrel.web.settings import Door

PATIENCE = 120.0


async def seen_by(client: Any) -> None:
    """What every client is to see."""
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == list(TOOLS)
    assert all(tool.annotations.read_only_hint for tool in listed)
    found = await client.call_tool("search", {"query": "flock of godwits"})
    hit = json.loads(found.content[0].text)["hits"][0]
    assert (found.is_error, hit["url"], hit["anchor"]) == (False, GUIDE, "last")
    part = json.loads((await client.call_tool("read", {"url": hit["url"], "section": hit["anchor"]})).content[0].text)
    assert "forty godwits" in part["page_says"]["markdown"]
    for wrong in ({"url": SECRET}, {"url": "file:///etc/passwd"}, {"url": GUIDE, "repo": "/"}):
        assert (await client.call_tool("read", wrong)).is_error, wrong


def test_an_agent_that_starts_the_command_is_answered(kept: Path) -> None:
    import mcp  # above, it would cost every worker a second

    async def talk(mode: str) -> str:
        started = mcp.StdioServerParameters(command=WHIMBREL[0], args=[*WHIMBREL[1:], "mcp", "--repo", str(kept)])
        async with mcp.Client(started, mode=mode, read_timeout_seconds=PATIENCE) as client:
            await seen_by(client)
            return client.protocol_version

    assert asyncio.run(talk("auto")) == "2026-07-28"


def test_the_server_answers_agents_of_both_kinds(kept: Path) -> None:
    import mcp

    opened = OpenedServer(kept, Door(port=0))
    address = f"http://127.0.0.1:{opened.port}/mcp"

    async def talk(mode: str) -> None:
        async with mcp.Client(address, mode=mode, read_timeout_seconds=PATIENCE) as client:
            await seen_by(client)

    with Background(opened):
        asyncio.run(talk("legacy"))
        asyncio.run(talk("auto"))


def test_what_is_no_message_is_refused_and_the_next_is_answered(kept: Path) -> None:
    handshake = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        "nonsense",
        '{"jsonrpc": "2.0"}',
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/run"}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "sites"}}),
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    answers: dict[int, Any] = {}
    with subprocess.Popen([*WHIMBREL, "mcp", "--repo", str(kept)], **pipes, text=True) as talk:
        assert None not in (talk.stdin, talk.stdout, talk.stderr)
        talk.stdin.write("\n".join([*lines, ""]))
        talk.stdin.flush()
        while not {1, 2, 3} <= answers.keys() and (line := talk.stdout.readline()):
            said = json.loads(line)
            answers[said.get("id")] = said
        talk.send_signal(signal.SIGINT)
        assert (talk.wait(PATIENCE), "Traceback" in talk.stderr.read()) == (0, False)
    assert answers[1]["result"]["serverInfo"]["name"] == "whimbrel"
    assert "error" in answers[2]
    assert json.loads(answers[3]["result"]["content"][0]["text"])["sites"][0]["site"] == "a.example"


def test_setup_prints_what_settings_need(tmp_path: Path) -> None:
    said = json.loads(run("mcp", "--repo", tmp_path, "--setup").stdout)
    (name, started), *_ = said["mcpServers"].items()
    assert (name, started["args"][-2:]) == (f"whimbrel-{tmp_path.name}", ["--repo", str(tmp_path)])
    assert Path(started["command"]).exists()
    assert run("mcp", "--repo", tmp_path / "none").returncode == 3


NPM = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const [address, command, ...args] = process.argv.slice(2);
for (const way of [new StdioClientTransport({ command, args }), new StreamableHTTPClientTransport(new URL(address))]) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(way);
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const found = await client.callTool({ name: "search", arguments: { query: "flock of godwits" } });
  const wrong = await client.callTool({ name: "read", arguments: { url: "file:///etc/passwd" } });
  console.log(JSON.stringify({ tools, hit: JSON.parse(found.content[0].text).hits[0], wrong: wrong.isError }));
  await client.close();
}
"""


@pytest.mark.long
def test_a_client_from_npm_is_answered(kept: Path, tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    install = ["npm", "install", "--no-audit", "--no-fund", "--silent", "@modelcontextprotocol/sdk@1"]
    subprocess.run(install, cwd=tmp_path, check=True, timeout=600)
    (tmp_path / "talk.mjs").write_text(NPM)
    opened = OpenedServer(kept, Door(port=0))
    with Background(opened):
        talk = subprocess.run(
            ["node", "talk.mjs", f"http://127.0.0.1:{opened.port}/mcp", *WHIMBREL, "mcp", "--repo", str(kept)],
            cwd=tmp_path, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert talk.returncode == 0, talk.stderr
    for line in talk.stdout.splitlines():
        said = json.loads(line)
        assert (said["tools"], said["hit"]["anchor"], said["wrong"]) == (list(TOOLS), "last", True)
    assert len(talk.stdout.splitlines()) == 2
