"""How inner functions come into kernels: linked once and optimised together, not one inside the other.

Left to itself Numba makes every function of a call graph whole: it links all callees into it, optimises the
lot and emits machine code, and does so again for each caller. Of our inner functions only what ends in a
kernel is ever run. So an inner function's library keeps just that function, lightly optimised, and a kernel
links everything below it, once. The kernels come out the same, and compile in two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.environment import lookup_environment

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

    @property
    def codegen(self) -> Any:
        return _NoEnvironments(self._codegen)

    @property
    def callees(self) -> list[Any]:
        """The libraries of the functions that this one calls."""
        return self._linking_libraries

    def finalize(self) -> None:
        self._raise_if_finalized()
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


class KernelCompiler(_Compiler):
    """Numba's compiler, for kernels."""

    library = KernelLibrary
