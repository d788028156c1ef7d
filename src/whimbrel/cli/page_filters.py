"""What a filter of pages needs is installed and made when a run that has one begins."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from whimbrel.config import Settings


def need_page_filter(settings: "Settings") -> None:
    """Says what takes long; whether the filter can be used is found out when the folder is opened."""
    if not (settings.crawl.keep or settings.crawl.keep_program):
        return
    from whimbrel.exchange.extras import need

    if settings.crawl.keep:
        need("cel")
    if settings.crawl.keep_program:
        need("wasm")
        from whimbrel.sieve import sandbox

        if not sandbox.is_made():
            click.echo("Making the sandbox for [crawl] keep_program, once; it takes a minute or two.", err=True)
            try:
                sandbox.make()
            except (OSError, sandbox.NoSandbox) as error:
                raise click.ClickException(str(error)) from error
