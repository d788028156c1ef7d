"""What the program of a place would do, told without doing it."""

from whimbrel.places.at.joining import JoinRefused, PlaceFolder, pinned
from whimbrel.places.at.terms import load_terms
from whimbrel.places.link.dial import DialError


async def what_would_happen(folder: PlaceFolder) -> list[str]:
    """For each home whether it can be reached and what it might ask for; nothing is sent."""
    terms = load_terms(folder.path)
    lines = []
    for membership in folder.memberships():
        allowed = terms.of(membership.home)
        lines.append(f"home {membership.home[:16]}, as place `{membership.place}`:")
        if allowed is None:
            lines.append("  place.toml does not name it: nothing would be read or sent")
            continue
        try:
            if membership.invitation is not None:
                await pinned(membership.invitation)
            lines.append(f"  would dial {', '.join(membership.servers)}, known by its certificate")
        except (DialError, JoinRefused) as error:
            lines.append(f"  cannot be reached now: {error}")
        lines.append(f"  would read {', '.join(allowed.sites)}, {allowed.requests_per_second:g} requests a second each")
        lines += [f"  from the folder {one.path} for {one.url}" for one in terms.folder]
        lines.append(
            f"  would send the pages it is asked for, at most {allowed.bytes_a_day} a day, and how it is doing"
        )
    return lines
