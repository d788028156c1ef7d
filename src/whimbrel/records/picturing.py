"""A crawl for pictures alone: by which rules something is left out of it."""

IMAGES_RULE = "images"
"""What neither is a picture nor shows one. The links of such pages are followed."""

SMALL_RULE = "small"
"""Pictures that are drawn small: icons, spacers, pixels that count readers."""

LEAST_PIXELS = 64
"""In width and in height."""
