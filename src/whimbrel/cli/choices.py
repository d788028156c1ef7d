"""`whimbrel status --why HOST`: the table behind a choice of migrant."""

from pathlib import Path

import click

from whimbrel.cli import exits
from whimbrel.cli.words import harmless


def show(folder: Path, lane: str, as_json: bool) -> int:
    """The last choice made for this host, as it was recorded; chosen again from what was recorded, to be sure."""
    import msgspec

    from whimbrel.cli.folder import moment
    from whimbrel.migrants.home.choice import Choice, choose, rows
    from whimbrel.places.home.telling import lines_for_host
    from whimbrel.repository.engines import open_reader
    from whimbrel.repository.views import Site, site_of

    site = site_of(lane)
    host = site.host if isinstance(site, Site) else lane
    with open_reader(folder) as reader:
        record = reader.choice(host)
        beside = reader.location.beside
    at_place = lines_for_host(beside, host)
    if record is None and at_place and not as_json:
        for line in at_place:
            click.echo(harmless(line))
        return exits.OK
    if record is None:
        click.echo(
            f"whimbrel: no choice is recorded for {harmless(host)}. One is made when a host's work is given out while "
            "there are several migrants; `whimbrel status --migrants` tells who there is.",
            err=True,
        )
        return exits.NOT_FOUND
    if as_json:
        click.echo(record)
        return exits.OK
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    choice = msgspec.json.decode(record, type=Choice)
    console = Console(highlight=False)
    inputs = choice.inputs
    console.print(
        f"{harmless(inputs.lane)} went to [bold]{choice.chosen}[/bold] on {moment(inputs.at)} UTC by {inputs.strategy}."
    )
    head, *body = rows(choice)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in head:
        table.add_column(name, justify="left" if name == "migrant" else "right")
    for row in body:
        table.add_row(*(Text(cell, style="bold" if row[0] == choice.chosen else "") for cell in row))
    console.print(table)
    for note in choice.notes:
        console.print(Text(harmless(note), style="yellow"))
    same = choose(inputs) == choice
    for line in at_place:
        console.print(Text(harmless(line)))
    console.print(Text("chosen again from the recorded figures: the same" if same else "chosen again: NOT the same"))
    return exits.OK
