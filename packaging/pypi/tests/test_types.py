"""The package's types are those of the component: every function, record, enum and variant."""

import unittest
from pathlib import Path
from typing import Any

from wasmtime.component import Component, FuncType

import myao
from myao import _shapes
from myao._engine import machine
from myao._signatures import EXPORTS, IMPORTS

BOT = Path(myao.__file__).parent / "components" / "myao_bot.wasm"
INTEGERS = {"u32": "U32", "u64": "U64", "s32": "S32", "s64": "S64"}


def of_component(type_: Any) -> Any:
    """A type of the component, as plain data."""
    kind = type(type_).__name__
    match kind:
        case "NoneType":
            return None
        case "ListType":
            return ["list", of_component(type_.element)]
        case "OptionType":
            return ["option", of_component(type_.payload)]
        case "ResultType":
            return {"ok": of_component(type_.ok), "err": of_component(type_.err)}
        case "RecordType":
            return [(name, of_component(inner)) for name, inner in type_.fields]
        case "TupleType":
            return ["tuple", *map(of_component, type_.elements)]
        case "VariantType":
            return {name: of_component(inner) for name, inner in type_.cases}
        case "EnumType":
            return set(type_.names)
        case _:
            return kind


def of_package(shape: Any) -> Any:
    """A type of the package, as the same."""
    match shape:
        case _shapes.Nothing():
            return None
        case _shapes.ListOf():
            return ["list", of_package(shape._item)]
        case _shapes.Option():
            return ["option", of_package(shape._some)]
        case _shapes.RecordOf():
            return [(name, of_package(inner)) for _, name, inner in shape._fields]
        case _shapes.TupleOf():
            return ["tuple", *map(of_package, shape._items)]
        case _shapes.VariantOf():
            return {name: of_package(case.holds) for name, case in shape._cases.items()}
        case _shapes.Enum():
            return set(shape._names)
        case _shapes.Plain():
            widths = {(int, bounds): INTEGERS[width] for width, bounds in _shapes.INTEGERS.items()}
            names = {str: "String", bool: "Bool"}
            return names.get(shape._type) or widths.get((shape._type, shape._bounds), "F32 or F64")
    raise AssertionError(shape)


class Types(unittest.TestCase):
    def compare(self, own: Any, externs: Any, engine: Any) -> None:
        for interface, functions in own.items():
            [instance] = [extern.ty for name, extern in externs.items() if name.startswith(f"myao:memory/{interface}@")]
            items = {name: extern.ty for name, extern in instance.exports(engine).items()}
            types = {name: item for name, item in items.items() if isinstance(item, FuncType)}
            for name, signature in functions.items():
                with self.subTest(function=f"{interface}.{name}"):
                    theirs = types.pop(name)
                    takes = [of_component(type_) for _, type_ in theirs.params]
                    self.assertEqual([self.floats(of_package(shape)) for shape in signature.takes], self.floats(takes))
                    returns = of_component(theirs.result)
                    self.assertEqual(self.floats(of_package(signature.returns)), self.floats(returns))
            if own is IMPORTS:
                self.assertEqual(list(types), [], interface)

    def floats(self, type_: Any) -> Any:
        """Python has one kind of them."""
        match type_:
            case "F32" | "F64":
                return "F32 or F64"
            case list():
                return list(map(self.floats, type_))
            case tuple():
                return tuple(map(self.floats, type_))
            case dict():
                return {name: self.floats(inner) for name, inner in type_.items()}
            case _:
                return type_

    def test_every_type_is_that_of_the_component(self) -> None:
        engine = machine().engine
        type_ = Component(engine, BOT.read_bytes()).type
        self.compare(IMPORTS, type_.imports(engine), engine)
        self.compare(EXPORTS, type_.exports(engine), engine)
