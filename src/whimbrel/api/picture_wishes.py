"""What migrants are told of classes of pictures."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from whimbrel.config import ConfigError, Settings
from whimbrel.migrants.wire.messages import Brief
from whimbrel.records.picturing import CLASSES_FILE
from whimbrel.records.request import Request, Shown, Topical


def with_pictures(brief: Brief, settings: Settings, beside: Path, requests: Sequence[Request]) -> Brief:
    """With the classes that the folder knows, where somebody asks for what they show."""
    most = settings.crawl.look_at_pictures
    concerned = any(isinstance(request, Shown | Topical) for request in requests)
    if not most or not concerned or not (beside / CLASSES_FILE).exists():
        return brief
    from whimbrel.flows.picture_classes import ClassesDamaged, read_classes  # brings NumPy
    from whimbrel.judges.convening import pictures_wanted

    try:
        classes = read_classes(beside)
    except ClassesDamaged as error:
        raise ConfigError(str(error)) from error
    if not pictures_wanted(requests, [one.name for one in classes]).named:
        return brief
    return replace(brief, picture_classes=classes, pictures_looked_at=most)
