"""Where fretsaw takes the place of another library, or hands over to one."""

__all__: list[str] = []
