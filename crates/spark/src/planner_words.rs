//! The planner's refusals in Spark's words. What is in no line here is said without the planner's text.

use lakelet_base::{Diagnostic, ErrorClass};

/// What the planner says, and what Spark says then.
struct Word {
    /// Part of the planner's message.
    part: &'static str,
    condition: &'static str,
    sqlstate: &'static str,
    message: &'static str,
    hint: &'static str,
}

const fn word(
    part: &'static str,
    condition: &'static str,
    sqlstate: &'static str,
    message: &'static str,
    hint: &'static str,
) -> Word {
    Word { part, condition, sqlstate, message, hint }
}

/// The first line that fits is taken.
const WORDS: &[Word] = &[
    word(
        "not allowed in the WHERE clause",
        "INVALID_WHERE_CONDITION",
        "42903",
        "The WHERE condition contains an aggregate function.",
        "Use HAVING, or compute it in a subquery.",
    ),
    word(
        "different number of columns",
        "NUM_COLUMNS_MISMATCH",
        "42826",
        "Both sides of UNION, INTERSECT and EXCEPT need the same number of columns.",
        "",
    ),
    word(
        "same number of columns",
        "NUM_COLUMNS_MISMATCH",
        "42826",
        "Both sides of UNION, INTERSECT and EXCEPT need the same number of columns.",
        "",
    ),
    word(
        "Incompatible inputs for Union",
        "INCOMPATIBLE_COLUMN_TYPE",
        "42825",
        "UNION can only be performed on inputs with compatible column types.",
        "Cast the columns of one side to the other's types.",
    ),
    word(
        "RANGE requires exactly one ORDER BY column",
        "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER",
        "42K09",
        "A range window frame with value boundaries needs exactly one ORDER BY expression.",
        "",
    ),
    word(
        "Invalid qualifier",
        "CANNOT_RESOLVE_STAR_EXPAND",
        "42704",
        "The name before `.*` is none of the tables or structs of this query.",
        "Write a table's name or alias before `.*`.",
    ),
    word(
        "Order by index starts at 1",
        "ORDER_BY_POS_OUT_OF_RANGE",
        "42805",
        "ORDER BY position 0 is not in the select list.",
        "Positions count from 1.",
    ),
    word(
        "LIMIT must be >= 0",
        "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
        "42K0E",
        "The limit expression must be equal to or greater than 0.",
        "",
    ),
    word(
        "OFFSET must be >=0",
        "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
        "42K0E",
        "The offset expression must be equal to or greater than 0.",
        "",
    ),
    word(
        "Expected LIMIT to be an integer",
        "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE",
        "42K0E",
        "The limit expression must be of integer type.",
        "",
    ),
    word(
        "Expected OFFSET to be an integer",
        "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE",
        "42K0E",
        "The offset expression must be of integer type.",
        "",
    ),
    word(
        "names given as column alias",
        "ASSIGNMENT_ARITY_MISMATCH",
        "42802",
        "The number of column names after the alias is not that of the columns.",
        "Name each column, or none.",
    ),
    word(
        "Inconsistent data length across values list",
        "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
        "42000",
        "The rows of VALUES do not have the same number of columns.",
        "",
    ),
    word(
        "for logical boolean operation",
        "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
        "42K09",
        "AND and OR take booleans.",
        "Write a comparison, or cast to BOOLEAN.",
    ),
    word(
        "for comparison operation",
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
        "42K09",
        "The two sides of a comparison have types that cannot be compared.",
        "Cast one of them to the other's type.",
    ),
    word(
        "Unary operator 'NOT' requires",
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        "42K09",
        "NOT requires the \"BOOLEAN\" type.",
        "Write a comparison, or cast to BOOLEAN.",
    ),
    word(
        "LIKE expression",
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        "42K09",
        "LIKE requires the \"STRING\" type on both sides.",
        "",
    ),
    word(
        "Can not find compatible types to compare",
        "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
        "42K09",
        "The values of IN have types that cannot be compared.",
        "Cast them to one type.",
    ),
    word(
        "field name as non-empty constant string",
        "DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING",
        "42K09",
        "named_struct takes names as literal strings: every first, third, fifth … argument.",
        "",
    ),
    word(
        "Too many columns! The subquery should only return one column",
        "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
        "42823",
        "A subquery that stands for values must return one column only.",
        "Select one column in it.",
    ),
    word(
        "Correlated scalar subquery must be aggregated",
        "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.MUST_AGGREGATE_CORRELATED_SCALAR_SUBQUERY",
        "0A000",
        "A correlated subquery that stands for one value has to be aggregated, so that it returns at most one row.",
        "Wrap its column in max() or any_value().",
    ),
    word(
        "start bound cannot be UNBOUNDED FOLLOWING",
        "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND",
        "42K09",
        "A window frame cannot begin at UNBOUNDED FOLLOWING.",
        "",
    ),
    word(
        "end bound cannot be UNBOUNDED PRECEDING",
        "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_INVALID_BOUND",
        "42K09",
        "A window frame cannot end at UNBOUNDED PRECEDING.",
        "",
    ),
    word(
        "cannot be larger than end bound",
        "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON",
        "42K09",
        "The lower bound of a window frame must be less than or equal to its upper bound.",
        "",
    ),
    word(
        "only support Literal types for field",
        "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
        "42K09",
        "The offset of a window function must be a literal.",
        "",
    ),
    word(
        "NTILE requires a positive integer",
        "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
        "42K09",
        "ntile takes a whole number from 1.",
        "",
    ),
    word(
        "Aggregate function calls cannot be nested",
        "NESTED_AGGREGATE_FUNCTION",
        "42607",
        "It is not allowed to use an aggregate function in the argument of another aggregate function.",
        "Compute the inner one in a subquery.",
    ),
    word(
        "Window function calls cannot be nested",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support window functions inside of window functions.",
        "Compute the inner one in a subquery.",
    ),
    word(
        "can not be used as a sliding accumulator",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support this aggregate function over a frame that moves at both ends.",
        "Let the frame begin at UNBOUNDED PRECEDING, or write sum() and count() in its place.",
    ),
    word(
        "Unsupported ast node in sqltorel: Lambda",
        "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
        "42K0D",
        "A lambda function should only be used in a higher order function.",
        "",
    ),
    word(
        "lambda defined",
        "INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
        "42K0D",
        "A higher order function expects another number of arguments of its lambda.",
        "",
    ),
    word(
        "does not support named arguments",
        "NAMED_PARAMETERS_NOT_SUPPORTED",
        "4274K",
        "Named arguments are not supported for this function.",
        "Write its arguments in order.",
    ),
    word(
        "For SELECT DISTINCT, ORDER BY expressions",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "42703",
        "SELECT DISTINCT can be sorted by columns of its select list only.",
        "Select the column that ORDER BY names.",
    ),
    word(
        "logical expression AggregateFunction",
        "UNSUPPORTED_EXPR_FOR_OPERATOR",
        "42K0E",
        "An aggregate function stands where none can be computed.",
        "Compute it in a subquery.",
    ),
    word(
        "logical expression WindowFunction",
        "UNSUPPORTED_EXPR_FOR_OPERATOR",
        "42K0E",
        "A window function stands where none can be computed.",
        "Compute it in a subquery.",
    ),
    word(
        "OuterReferenceColumn",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support this correlated subquery.",
        "Write it as a join.",
    ),
    word(
        "logical expression Exists",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support EXISTS here.",
        "Write it in WHERE, or as a join.",
    ),
    word(
        "logical expression InSubquery",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support IN with a subquery here.",
        "Write it in WHERE, or as a join.",
    ),
    word(
        "logical expression ScalarSubquery",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support a subquery here.",
        "Write it as a join.",
    ),
    word(
        "Only identifiers and literals are supported in tuples",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support rows in parentheses here.",
        "Write struct(a, b).",
    ),
    word(
        "more than one grouping sets",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support several grouping sets side by side.",
        "Write them as one GROUPING SETS.",
    ),
    word(
        "COUNT DISTINCT with multiple arguments",
        "UNSUPPORTED_FEATURE",
        "0A000",
        "Lakelet does not support count(DISTINCT …) of several columns.",
        "Count the distinct structs: count(DISTINCT struct(a, b)).",
    ),
];

/// Messages about the number of arguments.
const COUNTS: &[&str] = &[
    "an even number of arguments",
    "at least one argument but received",
    "arguments but received",
    "requires at least",
    "wrong number of arguments",
];

/// What Spark says where the planner says `message`; a sentence without its text where that is not known.
pub(crate) fn refusal(message: &str) -> Diagnostic {
    if let Some(word) = WORDS.iter().find(|word| message.contains(word.part)) {
        let diagnostic = Diagnostic::new(ErrorClass::new(word.condition, word.sqlstate), word.message);
        return if word.hint.is_empty() { diagnostic } else { diagnostic.hint(word.hint) };
    }
    if COUNTS.iter().any(|part| message.contains(part)) {
        return Diagnostic::new(
            ErrorClass::new("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "42605"),
            "A function was called with a number of arguments that it does not take.",
        );
    }
    Diagnostic::unsupported("this statement: a part of it cannot be planned")
        .hint("Write it in smaller steps: a subquery or a view for each.")
}
