"""What `show` and `printSchema` print."""

from pyspark.sql import types as t


def schema_tree(kind, indent=" "):
    """The columns of a schema, or fields of a struct, one a line."""
    lines = []
    for field in kind:
        lines += _branch(field.name, field.dataType, f"nullable = {str(field.nullable).lower()}", indent)
    return "\n".join(lines)


def _branch(name, kind, nullable, indent):
    """A line for a type, and lines for what is inside it."""
    shown = kind.simpleString() if isinstance(kind, t.DecimalType) else kind.typeName()
    lines = [f"{indent}|-- {name}: {shown}" + (f" ({nullable})" if nullable else "")]
    inside = indent + "|    "
    if isinstance(kind, t.StructType) and kind.fields:
        lines.append(schema_tree(kind, inside))
    elif isinstance(kind, t.ArrayType):
        lines += _branch("element", kind.elementType, "containsNull = true", inside)
    elif isinstance(kind, t.MapType):
        lines += _branch("key", kind.keyType, "", inside)
        lines += _branch("value", kind.valueType, "valueContainsNull = true", inside)
    return lines


def table(names, rows, width):
    """The table that Spark prints: right-aligned where texts are cut, else left-aligned."""

    def cut(text):
        text = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
        if width <= 0 or len(text) <= width:
            return text
        return text[:width] if width < 4 else text[: width - 3] + "..."

    lines = [[cut(name) for name in names], *([cut(cell) for cell in row] for row in rows)]
    widths = [max(3, *(len(line[index]) for line in lines)) for index in range(len(names))]
    rule = "+" + "".join("-" * size + "+" for size in widths)
    align = str.rjust if width > 0 else str.ljust
    text = ["|" + "".join(align(cell, size) + "|" for cell, size in zip(line, widths, strict=True)) for line in lines]
    return "\n".join([rule, text[0], rule, *text[1:], rule])
