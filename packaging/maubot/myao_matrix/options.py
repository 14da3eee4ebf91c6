"""What the owner configured: `base-config.yaml` says what each key is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from datetime import timezone as _timezone
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mautrix.util.config import BaseProxyConfig, ConfigUpdateHelper
from myao import ConfigurationError

# Of `base-config.yaml`, for the standalone mode, which does not read it.
_DEFAULTS = {"history_events": 1000, "tick_seconds": 60}
_KEYS = ("data_folder", "rooms", "history_events", "tick_seconds", "timezone", "settings")
_PERSONA = ("name", "system_prompt")
_MODEL = ("base_url", "api_key", "id")


class Config(BaseProxyConfig):
    """The configuration file of an instance."""

    def do_update(self, helper: ConfigUpdateHelper) -> None:
        """Takes over what is set, and gives the rest its default."""
        for key in (*_KEYS, *(f"persona.{key}" for key in _PERSONA), *(f"model.{key}" for key in _MODEL)):
            helper.copy(key)


class Values(Protocol):
    """A configuration as it was read."""

    def __getitem__(self, key: str) -> Any:
        """A value; `None` without one."""
        ...


@dataclass(frozen=True)
class Server:
    """A model and its server."""

    base_url: str
    api_key: str | None
    id: str


@dataclass(frozen=True)
class Options:
    """The configuration, checked."""

    data_folder: Path
    rooms: list[str]
    history_events: int
    tick_seconds: float
    timezone: tzinfo
    name: str
    server: Server | None
    settings: dict[str, str | int | bool] = field(default_factory=dict[str, "str | int | bool"])


def read(config: Values, display_name: str) -> Options:
    """Checks a configuration; raises `ConfigurationError` with the key that is wrong and what it takes."""
    persona, model = _mapping(config, "persona"), _mapping(config, "model")
    rooms = config["rooms"] or []
    if not isinstance(rooms, list) or not all(isinstance(room, str) and room[:1] in ("!", "#") for room in rooms):
        raise _wrong("rooms", "a list of room ids (!…) or aliases (#…)")
    name = str(persona.get("name") or display_name)
    settings: dict[str, str | int | bool] = {"persona.name": name}
    if persona.get("system_prompt"):
        settings["persona.system_prompt"] = str(persona["system_prompt"])
    server = None
    if model.get("base_url"):
        if not model.get("id"):
            raise _wrong("model.id", "the name of a model, because there is a model.base_url")
        key = model.get("api_key")
        server = Server(str(model["base_url"]).rstrip("/"), str(key) if key else None, str(model["id"]))
        settings |= {"engines.memory": "llm", "engines.response": "llm"}
    for key, value in _mapping(config, "settings").items():
        if not isinstance(value, (str, int, bool)):
            raise _wrong(f"settings.{key}", "a text, a whole number, true or false")
        settings[str(key)] = value
    return Options(
        Path(str(config["data_folder"] or "myao")),
        list(rooms),
        int(_number(config, "history_events", 0)),
        _number(config, "tick_seconds", 0.01),
        _timezone_of(config),
        name,
        server,
        settings,
    )


def _mapping(config: Values, key: str) -> Mapping[str, Any]:
    value = config[key] or {}
    if not isinstance(value, Mapping):
        raise _wrong(key, "keys with values")
    return value


def _number(config: Values, key: str, least: float) -> float:
    value = _DEFAULTS[key] if config[key] is None else config[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < least:
        raise _wrong(key, f"a number, at least {least}")
    return value


def _timezone_of(config: Values) -> tzinfo:
    name = str(config["timezone"] or "UTC")
    if name == "UTC":
        return _timezone.utc
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise _wrong("timezone", "a name such as Europe/Berlin (on Windows it needs the package tzdata)") from error


def _wrong(key: str, takes: str) -> ConfigurationError:
    return ConfigurationError("invalid-settings", f"{key} in the configuration of the plugin: it takes {takes}")
