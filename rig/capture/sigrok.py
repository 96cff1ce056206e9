# SPDX-License-Identifier: GPL-3.0-or-later
"""Binding of libsigrok 0.5, by cffi's ABI mode: no headers and no compiler are needed.

Only what a continuous logic capture needs. The structures below are those that libsigrok's public
header lays open; of all others only pointers are held. Objects here belong to one thread, except
`Session.stop`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import cffi

from rig.capture.rates import rates_of
from rig.errors import BenchError

OptionValue = str | int | bool

PORT_PREFIX: Final = "port:"
"""The prefix of a connection that is a USB port by the kernel's name, such as "port:3-2.1"."""
_USB_PLACE: Final = "usb/"
_USB_DEVICES: Final = Path("/sys/bus/usb/devices")

_DECLARATIONS = """
typedef struct _GSList { void *data; struct _GSList *next; } GSList;
typedef struct _GArray { char *data; unsigned int len; } GArray;
typedef struct _GVariant GVariant;
typedef struct { uint32_t domain; int code; char *message; } GError;
GSList *g_slist_append(GSList *, void *);
void g_slist_free(GSList *);
char *g_array_free(GArray *, int);
GVariant *g_variant_new_string(const char *);
GVariant *g_variant_parse(const char *, const char *, const char *, const char **, GError **);
GVariant *g_variant_ref_sink(GVariant *);
void g_variant_unref(GVariant *);
uint64_t g_variant_get_uint64(GVariant *);
int g_variant_get_boolean(GVariant *);
char *g_variant_print(GVariant *, int);
void g_error_free(GError *);
void g_free(void *);

struct sr_dev_driver { const char *name; };  /* has more fields; none is made or read here */
struct sr_config { uint32_t key; GVariant *data; };
struct sr_key_info {
    uint32_t key; int datatype; const char *id; const char *name; const char *description;
};
struct sr_channel {
    struct sr_dev_inst *sdi; int index; int type; int enabled; char *name; void *priv;
};
struct sr_datafeed_packet { uint16_t type; const void *payload; };
struct sr_datafeed_logic { uint64_t length; uint16_t unitsize; void *data; };
typedef void (*sr_datafeed_callback)(
    const struct sr_dev_inst *, const struct sr_datafeed_packet *, void *);
const char *sr_package_version_string_get(void);
const char *sr_strerror(int);
int sr_init(struct sr_context **);
int sr_exit(struct sr_context *);
struct sr_dev_driver **sr_driver_list(const struct sr_context *);
int sr_driver_init(struct sr_context *, struct sr_dev_driver *);
GSList *sr_driver_scan(struct sr_dev_driver *, GSList *);
GArray *sr_driver_scan_options_list(const struct sr_dev_driver *);
GArray *sr_dev_options(const struct sr_dev_driver *, const struct sr_dev_inst *,
    const struct sr_channel_group *);
int sr_dev_config_capabilities_list(const struct sr_dev_inst *, const struct sr_channel_group *,
    int);
int sr_dev_open(struct sr_dev_inst *);
const char *sr_dev_inst_connid_get(const struct sr_dev_inst *);
int sr_dev_close(struct sr_dev_inst *);
const char *sr_dev_inst_vendor_get(const struct sr_dev_inst *);
const char *sr_dev_inst_model_get(const struct sr_dev_inst *);
GSList *sr_dev_inst_channels_get(const struct sr_dev_inst *);
int sr_dev_channel_enable(struct sr_channel *, int);
const struct sr_key_info *sr_key_info_name_get(int, const char *);
int sr_config_get(const struct sr_dev_driver *, const struct sr_dev_inst *,
    const struct sr_channel_group *, uint32_t, GVariant **);
int sr_config_set(const struct sr_dev_inst *, const struct sr_channel_group *, uint32_t,
    GVariant *);
int sr_config_list(const struct sr_dev_driver *, const struct sr_dev_inst *,
    const struct sr_channel_group *, uint32_t, GVariant **);
int sr_session_new(struct sr_context *, struct sr_session **);
int sr_session_destroy(struct sr_session *);
int sr_session_dev_add(struct sr_session *, struct sr_dev_inst *);
int sr_session_datafeed_callback_add(struct sr_session *, sr_datafeed_callback, void *);
int sr_session_start(struct sr_session *);
int sr_session_run(struct sr_session *);
int sr_session_stop(struct sr_session *);
"""

# enum values of libsigrok.h
_KEY_CONFIG: Final = 0
_KEY_MASK: Final = 0x1FFFFFFF
"""Bits of an option's number; those above say what can be done with it."""
_CAN_GET: Final = 1 << 31
_CHANNEL_LOGIC: Final = 10000
_PACKET_END: Final = 10001
_PACKET_LOGIC: Final = 10004

# enum sr_datatype -> type string of the GVariant that the drivers take
_STRING_TYPE: Final = 10001
_VARIANT_TYPE: Final = {
    10000: "t",
    _STRING_TYPE: "s",
    10002: "b",
    10003: "d",
    10004: "(tt)",
    10005: "(tt)",
    10007: "(tt)",
    10008: "(dd)",
    10009: "i",
}


class _Library(NamedTuple):
    ffi: Any
    sigrok: Any
    glib: Any


@cache
def _library() -> _Library:
    """Raises BenchError if the shared libraries are missing."""
    ffi = cffi.FFI()
    ffi.cdef(_DECLARATIONS)
    try:
        return _Library(ffi, ffi.dlopen("libsigrok.so.4"), ffi.dlopen("libglib-2.0.so.0"))
    except OSError as error:
        raise BenchError(
            f"libsigrok is missing ({error}): it reads the logic analyzer; "
            "install Debian's package with: apt install libsigrok4"
        ) from error


def library_version() -> str:
    """Version of libsigrok, such as "0.5.2". Raises BenchError if it is not installed."""
    lib = _library()
    return _text(lib.sigrok.sr_package_version_string_get())


def driver_names() -> tuple[str, ...]:
    """Names of the drivers in this libsigrok, sorted. Raises BenchError if it is not installed."""
    with SigrokContext() as context:
        return tuple(sorted(context.drivers))


def usb_address(connection: str) -> str:
    """Return the address now, as libsigrok has it, of what is at a "port:...". Raises BenchError.

    Addresses change with every plug and with an upload of firmware; ports do not.
    """
    port = connection.removeprefix(PORT_PREFIX)
    place = _USB_DEVICES / port
    try:
        bus, address = ((place / name).read_text().strip() for name in ("busnum", "devnum"))
    except (OSError, ValueError) as error:
        there = sorted(each.name for each in _USB_DEVICES.glob("*-*") if ":" not in each.name)
        raise BenchError(
            f"{connection}: no USB device at this port; devices are at: "
            + (", ".join(PORT_PREFIX + name for name in there) or "none")
        ) from error
    return f"{bus}.{address}"


class SigrokContext:
    """libsigrok, initialized."""

    def __init__(self) -> None:
        self._lib = _library()
        pointer = self._lib.ffi.new("struct sr_context **")
        _check(self._lib.sigrok.sr_init(pointer), "libsigrok does not start")
        self.handle = pointer[0]
        self.drivers = {_text(driver.name): driver for driver in self._driver_list()}

    def _driver_list(self) -> Iterator[Any]:
        drivers, number = self._lib.sigrok.sr_driver_list(self.handle), 0
        while drivers[number]:
            yield drivers[number]
            number += 1

    def __enter__(self) -> SigrokContext:
        return self

    def __exit__(self, *_: object) -> None:
        self._lib.sigrok.sr_exit(self.handle)


class SeveralDevicesError(BenchError):
    """More than one device fits, and which one is meant was not said."""


class SigrokDevice:
    """The device that a driver finds, opened."""

    def __init__(
        self,
        context: SigrokContext,
        driver_name: str,
        conn: str,
        options: Mapping[str, OptionValue],
        logic_channels: int = 0,
    ) -> None:
        """`conn` may be empty: the driver searches, and must find one device only.

        "port:3-2.1" is the USB port that the kernel calls so.

        `logic_channels` is asked of drivers that let their number be chosen; others have their own.
        Options that the driver takes while scanning are given then, the others after opening.
        Raises BenchError for an unknown driver or option, or if no device is found.
        """
        self._lib = _library()
        self._context = context
        self.driver_name = driver_name
        self._driver = self._find_driver(driver_name)
        scan_keys = self._scan_keys()
        address = usb_address(conn) if conn.startswith(PORT_PREFIX) else conn
        wanted = {**({"conn": address} if conn else {}), **options}
        if logic_channels and _key_info(driver_name, "logic_channels").key in scan_keys:
            wanted.setdefault("logic_channels", logic_channels)
        keyed = {name: _Option(driver_name, name, value) for name, value in wanted.items()}
        at_scan = [option for option in keyed.values() if option.key in scan_keys]
        self.handle = self._scan(at_scan, conn)
        opened = self._lib.sigrok.sr_dev_open(self.handle)
        _check(opened, f"{driver_name}: cannot open the device; `rig doctor` may tell why")
        for option in keyed.values():
            if option.key not in scan_keys:
                self.set(option)

    def _find_driver(self, name: str) -> Any:
        driver = self._context.drivers.get(name)
        if driver is None:
            near = difflib.get_close_matches(name, self._context.drivers, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            raise BenchError(
                f"libsigrok has no driver named {name!r}: {hint}list them with: sigrok-cli -L"
            )
        started = self._lib.sigrok.sr_driver_init(self._context.handle, driver)
        _check(started, f"{name}: the driver does not start")
        return driver

    def _scan_keys(self) -> set[int]:
        return self._keys(self._lib.sigrok.sr_driver_scan_options_list(self._driver))

    def _keys(self, array: Any) -> set[int]:
        """Return the keys in an array, which is freed."""
        if not array:
            return set()
        keys = self._lib.ffi.cast("uint32_t *", array.data)
        found = {int(keys[number]) for number in range(array.len)}
        self._lib.glib.g_array_free(array, 1)
        return found

    def _scan(self, options: list[_Option], conn: str) -> Any:
        glist, keep = self._lib.ffi.NULL, []
        for option in options:
            config = self._lib.ffi.new("struct sr_config *")
            config.key = option.key
            config.data = self._lib.glib.g_variant_ref_sink(option.variant)
            keep.append(config)
            glist = self._lib.glib.g_slist_append(glist, config)
        devices = self._lib.sigrok.sr_driver_scan(self._driver, glist)
        self._lib.glib.g_slist_free(glist)
        for config in keep:
            self._lib.glib.g_variant_unref(config.data)
        if not devices:
            where = f" at {conn}" if conn else ""
            raise BenchError(
                f"{self.driver_name}: no device found{where}: is it plugged in, may this user "
                "open it, and is no other program using it? `rig doctor` looks"
            )
        found = list(self._instances(devices))
        self._lib.glib.g_slist_free(devices)
        if len(found) > 1:
            names = ", ".join(sorted(self._connection_of(each) for each in found))
            raise SeveralDevicesError(
                f"{self.driver_name}: {len(found)} devices fit ({names}): name one as the "
                "analyzer's connection in the fixture"
            )
        return found[0]

    def _instances(self, devices: Any) -> Iterator[Any]:
        while devices:
            yield self._lib.ffi.cast("struct sr_dev_inst *", devices.data)
            devices = devices.next

    def _connection_of(self, instance: Any) -> str:
        """Return how a fixture can name this device, or else its maker's name."""
        place = _text(self._lib.sigrok.sr_dev_inst_connid_get(instance))
        if place.startswith(_USB_PLACE):
            return PORT_PREFIX + place.removeprefix(_USB_PLACE)
        return place or _text(self._lib.sigrok.sr_dev_inst_model_get(instance))

    @property
    def vendor(self) -> str:
        """The maker by the driver, empty if it has none."""
        return _text(self._lib.sigrok.sr_dev_inst_vendor_get(self.handle))

    @property
    def model(self) -> str:
        """The model by the driver, empty if it has none."""
        return _text(self._lib.sigrok.sr_dev_inst_model_get(self.handle))

    def channels(self) -> list[tuple[int, str]]:
        """Return bit number and name of each logic channel, by bit number."""
        return sorted((item.index, _text(item.name)) for item in self._logic_channels())

    def enable_channels(self, channel_mask: int) -> None:
        """Enable these logic channels and no others, analog ones neither.

        Raises BenchError if one does not exist.
        """
        missing = channel_mask
        for channel in self._logic_channels():
            missing &= ~(1 << channel.index)
        if missing or not channel_mask:
            last = max(number for number, _ in self.channels())
            raise BenchError(
                f"{self.driver_name}: channel mask {channel_mask:#x} does not fit the analyzer: "
                f"name one or more of its channels 0 to {last}"
            )
        for channel in self._every_channel():
            on = channel.type == _CHANNEL_LOGIC and channel_mask >> channel.index & 1
            _check(
                self._lib.sigrok.sr_dev_channel_enable(channel, on),
                f"{self.driver_name}: cannot switch channel {channel.index}",
            )

    def _logic_channels(self) -> Iterator[Any]:
        return (each for each in self._every_channel() if each.type == _CHANNEL_LOGIC)

    def _every_channel(self) -> Iterator[Any]:
        item = self._lib.sigrok.sr_dev_inst_channels_get(self.handle)
        while item:
            yield self._lib.ffi.cast("struct sr_channel *", item.data)
            item = item.next

    def require_continuous(self) -> None:
        """Raise BenchError if it fills a memory of its own once, always or as it is set."""
        null = self._lib.ffi.NULL
        array = self._lib.sigrok.sr_dev_options(self._driver, self.handle, null)
        key = int(_key_info(self.driver_name, "continuous").key)
        if key not in {option & _KEY_MASK for option in self._keys(array)}:
            raise BenchError(
                f"{self.driver_name}: samples into a memory of its own until that is full, and a "
                "run needs an analyzer that samples without end (docs/hardware.md lists them); "
                "a capture of such a one can be analyzed: rig analyze FILE.sr"
            )
        abilities = self._lib.sigrok.sr_dev_config_capabilities_list(self.handle, null, key)
        if not abilities & _CAN_GET:
            return  # it cannot be switched off
        value = self._value(key, "whether it samples without end")
        is_on = self._lib.glib.g_variant_get_boolean(value)
        self._lib.glib.g_variant_unref(value)
        if not is_on:
            raise BenchError(
                f"{self.driver_name}: fills a memory of its own once and ends, unless it is told "
                "to stream: put continuous = true under [analyzer.options] in the fixture"
            )

    def _value(self, key: int, what: str) -> Any:
        """Return the value in force of an option, for the caller to free."""
        pointer = self._lib.ffi.new("GVariant **")
        null = self._lib.ffi.NULL
        got = self._lib.sigrok.sr_config_get(self._driver, self.handle, null, key, pointer)
        _check(got, f"{self.driver_name}: does not tell {what}")
        return pointer[0]

    def set_sample_rate(self, rate_hz: int) -> int:
        """Set the rate and return the one in force. Raises BenchError if it is refused."""
        self.set(_Option(self.driver_name, "samplerate", rate_hz))
        value = self._value(_key_info(self.driver_name, "samplerate").key, "its sample rate")
        rate = int(self._lib.glib.g_variant_get_uint64(value))
        self._lib.glib.g_variant_unref(value)
        return rate

    def sample_rates(self) -> tuple[int, ...]:
        """Return the rates that the driver offers, in Hz; () if it does not list them."""
        return rates_of(self._listed(_key_info(self.driver_name, "samplerate").key))

    def set(self, option: _Option) -> None:
        """Set an option. Raises BenchError, with the valid values if the driver lists them."""
        null = self._lib.ffi.NULL
        status = self._lib.sigrok.sr_config_set(self.handle, null, option.key, option.variant)
        if status:
            listed = self._listed(option.key)
            valid = f"; it takes {listed}" if listed else ""
            _check(status, f"{self.driver_name}: refuses {option.name} = {option.value}{valid}")

    def _listed(self, key: int) -> str:
        """Return the values that the driver lists for an option, as GLib has them; "" if none."""
        pointer = self._lib.ffi.new("GVariant **")
        null = self._lib.ffi.NULL
        if self._lib.sigrok.sr_config_list(self._driver, self.handle, null, key, pointer):
            return ""
        printed = self._lib.glib.g_variant_print(pointer[0], 0)
        text = _text(printed)
        self._lib.glib.g_free(printed)
        self._lib.glib.g_variant_unref(pointer[0])
        return text

    def close(self) -> None:
        """Close the device."""
        self._lib.sigrok.sr_dev_close(self.handle)


class Session:
    """Captures of one device, one after the other. Lives as long as the process."""

    def __init__(
        self,
        context: SigrokContext,
        device: SigrokDevice,
        on_logic: Callable[[int, Any], None],
        on_end: Callable[[], None],
        in_front: Callable[[int], tuple[int, int] | None] = lambda _callback: None,
    ) -> None:
        """`on_logic` gets the bytes a sample and a buffer that is valid during the call only.

        Both are called in the thread of `run`. What they raise ends the capture; `run` raises it.
        `in_front` is given the address of the callback that calls them, and may return those of a
        function in C and of its data: the driver calls that one, which passes on what it leaves.
        """
        self._lib = _library()
        self._on_logic = on_logic
        self._on_end = on_end
        ffi = self._lib.ffi
        # Looked up once: a packet takes less time than a few of such lookups.
        self._cast, self._buffer_of = ffi.cast, ffi.buffer
        self._logic = ffi.typeof("struct sr_datafeed_logic *")
        self._error: BaseException | None = None
        pointer = self._lib.ffi.new("struct sr_session **")
        _check(self._lib.sigrok.sr_session_new(context.handle, pointer), "no new session")
        self._handle = pointer[0]
        added = self._lib.sigrok.sr_session_dev_add(self._handle, device.handle)
        _check(added, f"{device.driver_name}: the device does not join the session")
        self._callback = self._lib.ffi.callback(
            "sr_datafeed_callback", self._on_packet, onerror=self._on_error
        )
        address = int(ffi.cast("uintptr_t", self._callback))
        called, data = in_front(address) or (address, 0)
        self._lib.sigrok.sr_session_datafeed_callback_add(
            self._handle, ffi.cast("sr_datafeed_callback", called), ffi.cast("void *", data)
        )

    def _on_packet(self, _device: Any, packet: Any, _data: Any) -> None:
        if self._error is not None:
            return
        if packet.type == _PACKET_LOGIC:
            logic = self._cast(self._logic, packet.payload)
            self._on_logic(logic.unitsize, self._buffer_of(logic.data, logic.length))
        elif packet.type == _PACKET_END:
            self._on_end()

    def _on_error(self, _kind: object, error: BaseException, _trace: object) -> None:
        self._error = error
        self.stop()

    def start(self) -> None:
        """Start a capture. Raises BenchError if the driver refuses."""
        self._error = None
        _check(self._lib.sigrok.sr_session_start(self._handle), "the capture does not start")

    def run(self) -> None:
        """Call back until the capture has ended."""
        _check(self._lib.sigrok.sr_session_run(self._handle), "the capture does not run")
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Ask for the end, from any thread; do nothing if no capture runs."""
        self._lib.sigrok.sr_session_stop(self._handle)


class _Option:
    """A driver option with its value in the type that the driver takes."""

    def __init__(self, driver_name: str, name: str, value: OptionValue) -> None:
        info = _key_info(driver_name, name)
        self.name, self.value = name, value
        self.key = int(info.key)
        self.variant = _variant(f"{driver_name}: option {name}", info.datatype, value)


def _key_info(driver_name: str, name: str) -> Any:
    info = _library().sigrok.sr_key_info_name_get(_KEY_CONFIG, name.encode())
    if not info:
        raise BenchError(
            f"libsigrok knows no option {name!r}: "
            f"list what the driver takes with: sigrok-cli -d {driver_name} --show"
        )
    return info


def _variant(what: str, datatype: int, value: OptionValue) -> Any:
    """A floating GVariant. Text for a type other than string is in GVariant's text format."""
    lib = _library()
    if datatype not in _VARIANT_TYPE:
        raise BenchError(f"{what}: values of this type cannot be set from a fixture")
    if datatype == _STRING_TYPE:
        return lib.glib.g_variant_new_string(str(value).encode())
    text = str(value).lower() if isinstance(value, bool) else str(value)
    error = lib.ffi.new("GError **")
    null = lib.ffi.NULL
    kind = lib.ffi.new("char[]", _VARIANT_TYPE[datatype].encode())
    variant = lib.glib.g_variant_parse(kind, text.encode(), null, null, error)
    if not variant:
        reason = _text(error[0].message)
        lib.glib.g_error_free(error[0])
        raise BenchError(f"{what} = {text!r} is not valid: {reason}")
    return variant


def _text(pointer: Any) -> str:
    if not pointer:
        return ""
    return bytes(_library().ffi.string(pointer)).decode("utf-8", "replace")


def _check(status: int, what: str) -> None:
    if status:
        reason = _text(_library().sigrok.sr_strerror(status))
        raise BenchError(f"{what} (libsigrok: {reason})")
