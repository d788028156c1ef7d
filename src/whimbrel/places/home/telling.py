"""What is known of a place, in words, for whoever runs Whimbrel."""

from pathlib import Path

from msgspec.structs import replace

from whimbrel.migrants.wire.speech import common, who_is_old
from whimbrel.places.home.book import BookedPlace, PlaceBook, PlaceStanding
from whimbrel.search.contract import Answer

_UNITS = ("B", "kB", "MB", "GB", "TB")


def place_lines(place: BookedPlace, now: float) -> list[str]:
    """The first names it; those after it are what it says of itself, what it did, and how far it is believed."""
    lines = [f"{place.name}: {place.standing}, at {', '.join(place.sites)}"]
    if place.standing is PlaceStanding.JOINED:
        left = (place.expires_at - now) / 86_400
        lines[0] += f", for {left:.0f} more days" if left > 0 else ", expired: invite it anew"
    if place.seen_at:
        lines.append(
            f"  seen {_ago(now - place.seen_at)}, Whimbrel {place.version}, load {place.load:.1f}, "
            f"{place.migrants} migrants, {_size(place.free_disk_bytes)} of disk free"
        )
        if place.round_trip_seconds:
            lines.append(f"  {_way(place)}")
        if place.wire and not common(place.wire):
            lines.append(f"  gets no work: {who_is_old(place.wire, f'place `{place.name}`', 'home')}")
        if place.why_not:
            lines.append(f"  takes no work now: {place.why_not}")
        lines.append("  allows " + ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in place.limits.items()))
    if place.visits:
        saved = max(0, place.site_bytes - place.link_bytes)
        lines.append(
            f"  {place.visits:,} requests made there and not from home, {_size(place.site_bytes)} read, "
            f"{_size(place.link_bytes)} over the link: {_size(saved)} saved"
        )
    if place.visits or place.trust.fetched:
        lines.append(f"  {place.trust.words}")
        lines += [f"  not the same: {url}" for url in place.trust.unlike]
    return lines


def lines_for_host(beside: Path, host: str) -> list[str]:
    """Of the places that were invited for a host."""
    found = [place for place in PlaceBook(beside).read().places.values() if host in place.sites]
    return [line for place in found for line in (f"place `{place.name}`: {place.standing}", f"  {place.trust.words}")]


def with_revoked(beside: Path, answer: Answer) -> Answer:
    """An answer whose entries say which of their places may not be asked any more."""
    if not answer.elsewhere:
        return answer
    places = PlaceBook(beside).read().places.values()
    gone = {place.name for place in places if place.standing is not PlaceStanding.JOINED}
    return replace(answer, elsewhere=tuple(replace(hit, revoked=hit.place in gone) for hit in answer.elsewhere))


def _way(place: BookedPlace) -> str:
    told = [f"{1000 * place.round_trip_seconds:.1f} ms from home and back"]
    if place.bytes_per_second:
        told.append(f"{_size(place.bytes_per_second)} a second from there")
    if place.cores:
        told.append(f"load {place.load / place.cores:.2f} a core, of {place.cores}")
    return ", ".join(told)


def _ago(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 2:
        return "just now"
    return f"{minutes:.0f} min ago" if minutes < 120 else f"{minutes / 60:.0f} h ago"


def _size(count: float) -> str:
    for unit in _UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} {_UNITS[-1]}"
