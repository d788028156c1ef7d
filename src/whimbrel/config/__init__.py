"""Settings: what the folder remembers, one TOML file, the environment and the flags become one frozen record.

Takes: a file, the environment, flags. Gives: `Settings`. Promises: a later layer replaces a value whole; an
unknown key or a wrong value is a `ConfigError` that names the place and what was expected. Never: guesses.
"""

from whimbrel.config.layers import load, remember
from whimbrel.config.settings import (
    Crawl,
    Fetch,
    Log,
    Repository,
    Settings,
    SiteTable,
    default_user_agent,
)
from whimbrel.config.values import ConfigError, Setting, describe

__all__ = [
    "ConfigError",
    "Crawl",
    "Fetch",
    "Log",
    "Repository",
    "Setting",
    "Settings",
    "SiteTable",
    "default_user_agent",
    "describe",
    "load",
    "remember",
]
