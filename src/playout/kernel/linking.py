"""How inner functions come into kernels: linked once and optimised together, not one inside the other.

Left to itself Numba makes every function of a call graph whole: it links all callees into it, optimises the
lot and emits machine code, and does so again for each caller. Of our inner functions only what ends in a
kernel is ever run. So an inner function's library keeps just that function, lightly optimised, and a kernel
links everything below it, once. The kernels come out the same, and compile in two thirds of the time.

And an inner function that another process has compiled is not compiled again (`kept`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import binding as llvm  # type: ignore[import-untyped]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.environment import lookup_environment
from numba.core.itanium_mangler import mangle
from numba.core.runtime.nrt import rtsys

from playout.kernel import kept

NRT = "nrt"  # in place of a key: Numba's runtime
ENVIRONMENT = "_ZN08NumbaEnv"  # begins the name of the variable that leads a function to its Python objects


def callers_first(libraries: Iterable[Any]) -> list[Any]:
    """Libraries and all that inner ones among them need, each after those that call it.

    The linker leaves out what nobody has called so far.
    """
    done: set[Any] = set()
    order: list[Any] = []

    def visit(library: Any) -> None:
        if library not in done:
            done.add(library)
            if isinstance(library, InnerLibrary):
                for callee in library.callees:
                    visit(callee)
            order.append(library)

    for library in libraries:
        visit(library)
    return order[::-1]


class _NoEnvironments:
    """A code generator for functions that are not run: there is no variable to set yet."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """The kernel does it, when the function has a place in memory."""


class InnerLibrary(JITCodeLibrary):
    """One inner function, without its callees and without machine code."""

    key: str | None = None  # the name of its file
    environment: Any = None  # of the function, for as long as there is code that needs it

    @classmethod
    def of_file(cls, codegen: Any, key: str, environment: Any, module: bytes, callees: list[Any]) -> Any:
        """One that was kept."""
        library = cls(codegen, key)
        library.key, library.environment = key, environment
        library._final_module = library._shared_module = llvm.parse_bitcode(module)
        library._linking_libraries = callees
        library._finalized = True
        return library

    @property
    def codegen(self) -> Any:
        return _NoEnvironments(self._codegen)

    @property
    def callees(self) -> list[Any]:
        """The libraries of the functions that this one calls."""
        return self._linking_libraries

    def finalize(self) -> None:
        self._raise_if_finalized()
        if self.key is not None:
            self._take_in()
        codegen = self._codegen
        passes, builder = codegen._module_pass_manager(
            loop_vectorize=codegen._loopvect, slp_vectorize=False, opt=codegen._opt_level, cost="cheap"
        )
        passes.run(self._final_module, builder)
        self._final_module.verify()
        for callee in self.callees:
            self._reload_init.update(callee._reload_init)
        self._finalize_dynamic_globals()
        self._finalized = True

    def _take_in(self) -> None:
        """Make what plain Numba compiled a part of this module: its names mean something else elsewhere."""
        module = self._final_module
        ours = {value.name for value in (*module.functions, *module.global_variables) if _is_seen(value)}
        inner = [callee for callee in self.callees if isinstance(callee, InnerLibrary)]
        for callee in self.callees:
            if callee not in inner and callee is not rtsys.library:
                module.link_in(_module(callee), preserve=True)
        for value in (*module.functions, *module.global_variables):
            if _is_seen(value) and value.name not in ours and not value.name.lower().startswith("nrt_"):
                value.linkage = "internal"
        self._linking_libraries = [
            callee for callee in self.callees if callee is rtsys.library or callee in inner
        ]

    def uses_others_objects(self, environment: str) -> bool:
        """Whether the code leads to Python objects other than its own function's."""
        names = {variable.name for variable in self._final_module.global_variables} - {environment}
        others = [name for name in names if name.startswith(ENVIRONMENT)]
        text = str(self._final_module) if others else ""
        return any(text.count(name) > 1 for name in others)  # once where it is declared

    def alone(self) -> Any:
        """The module to link into a kernel, beside those of the callees."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The module with all callees: what a function compiled by plain Numba links."""
        module = self.alone().clone()
        for library in callers_first([self])[1:]:
            module.link_in(_module(library), preserve=True)
        return module

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # there is none


def _is_seen(value: Any) -> bool:
    """Whether a function or variable is defined here, and other modules see it."""
    return not value.is_declaration and value.linkage not in (llvm.Linkage.internal, llvm.Linkage.private)


def _module(library: Any) -> Any:
    return library.alone() if isinstance(library, InnerLibrary) else library._get_module_for_linking()


class KernelLibrary(JITCodeLibrary):
    """A kernel and everything that it calls."""

    def finalize(self) -> None:
        for library in callers_first(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(_module(library), preserve=True)
        self._linking_libraries: list[Any] = []
        super().finalize()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


class _Compiler(Compiler):
    library: type[JITCodeLibrary]

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class InnerCompiler(_Compiler):
    """Numba's compiler, for inner functions."""

    library = InnerLibrary
    key: str | None = None

    def compile_extra(self, func: Any) -> Any:
        self.key = kept.key_of(func, self.state)
        if self.key is None:
            return super().compile_extra(func)
        try:
            result = self._found(self.key)
        except Exception:  # a damaged file can raise anything
            result = None
        if result is None:
            result = super().compile_extra(func)
            self._keep(self.key, result)
        return result

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        if self.key is not None:  # in place of a number that other processes give to other functions
            identity = self.state.func_id
            identity.unique_id = self.key
            identity.unique_name = f"{identity.func_qualname}${self.key}"
            self.state.targetctx.mangler = _without_types
            self.state.library.key = self.key
        return pipelines

    def _keep(self, key: str, result: Any) -> None:
        library = result.library
        library._ensure_finalized()
        callees = [NRT if callee is rtsys.library else callee.key for callee in library.callees]
        if (
            None in callees
            or library.has_dynamic_globals
            or library.uses_others_objects(result.fndesc.env_name)
            or not result.environment.can_cache()
        ):
            library.key = None
            return
        library.environment = result.environment
        _libraries[key] = library
        result.fndesc.typemap = result.fndesc.calltypes = None
        code = result.environment, library.alone().as_bitcode(), callees
        kept.write(key, (*code, result.fndesc, result.signature, result.reload_init))

    def _found(self, key: str) -> Any:
        data = kept.read(key)
        if data is None:
            return None
        target = self.state.targetctx
        library = _library(target.codegen(), key, data)
        if library is None:
            return None
        *_, descriptor, signature, reload_init = data
        for again in reload_init:
            again()
        result = CompileResult(
            target_context=target,
            typing_context=self.state.typingctx,
            library=library,
            environment=library.environment,
            entry_point=target.get_executable(library, descriptor, library.environment),
            fndesc=descriptor,
            type_annotation="",
            signature=signature,
            objectmode=False,
            lifted=(),
            typing_error=None,
            call_helper=None,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=None,
        )
        target.insert_user_function(result.entry_point, descriptor, [library])
        return result


def _without_types(name: str, types: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
    """A symbol: the key says the types too, and Numba numbers them otherwise in every process."""
    return mangle(name, (), abi_tags=abi_tags, uid=uid)


_libraries: dict[str, InnerLibrary] = {}  # of kept functions, by key


def _library(codegen: Any, key: str, data: tuple[Any, ...] | None = None) -> InnerLibrary | None:
    """The library of a kept function, with those of all that it calls; None if any is missing."""
    if key == NRT:
        return rtsys.library
    if key not in _libraries:
        data = data or kept.read(key)
        if data is None:
            return None
        environment, module, keys, *_ = data
        callees = [_library(codegen, callee) for callee in keys]
        if None in callees:
            return None
        _libraries[key] = InnerLibrary.of_file(codegen, key, environment, module, callees)
    return _libraries[key]


class KernelCompiler(_Compiler):
    """Numba's compiler, for kernels."""

    library = KernelLibrary
