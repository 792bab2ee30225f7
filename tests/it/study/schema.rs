//! A check of values against the JSON schemas in `docs/schema`.

use std::fs;

use serde_json::Value;

/// Returns the problem of a value with the schema of a file; `None` if it is valid.
pub(crate) fn problem(file: &str, value: &Value) -> Option<String> {
    let schema = fs::read_to_string(format!("docs/schema/{file}")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    check(&schema, &schema, value).err()
}

/// Checks a value against a part of a schema. A keyword that is not known here is a mistake of the
/// test.
fn check(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    let schema = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Bool(false) => return Err(format!("{value} is not allowed")),
        schema => schema.as_object().unwrap(),
    };
    let fails = |problem: &str| Err(format!("{value}: {problem}"));
    for (keyword, rule) in schema {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "format" | "$defs" => {}
            "$ref" => {
                let target = rule.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(target).unwrap(), value)?;
            }
            "type" => {
                let types: Vec<_> = match rule {
                    Value::Array(types) => types.iter().collect(),
                    one => vec![one],
                };
                if !types.iter().any(|name| has_type(value, name.as_str().unwrap())) {
                    return fails(&format!("expected {rule}"));
                }
            }
            "enum" if rule.as_array().unwrap().contains(value) => {}
            "const" if rule == value => {}
            "enum" | "const" => return fails(&format!("expected {rule}")),
            "minimum" => {
                if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) {
                    return fails(&format!("expected at least {rule}"));
                }
            }
            "anyOf" | "oneOf" => {
                let valid = rule.as_array().unwrap().iter();
                let valid = valid.filter(|part| check(root, part, value).is_ok()).count();
                if valid == 0 || keyword == "oneOf" && valid > 1 {
                    return fails(&format!("{valid} of {rule} are valid"));
                }
            }
            "required" => {
                let names = rule.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                for name in names.filter(|_| value.is_object()) {
                    value.get(name).ok_or_else(|| format!("{value}: {name} is missing"))?;
                }
            }
            "properties" => {
                for (name, part) in rule.as_object().unwrap() {
                    value.get(name).map_or(Ok(()), |value| check(root, part, value))?;
                }
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
                let fields = value.as_object().into_iter().flatten();
                for (_, value) in fields.filter(|(name, _)| !is_known(name)) {
                    check(root, rule, value)?;
                }
            }
            "prefixItems" | "items" | "minItems" | "maxItems" => {
                let elements = value.as_array().map_or(&[][..], Vec::as_slice);
                let first = schema.get("prefixItems").and_then(Value::as_array);
                let first = first.map_or(0, Vec::len).min(elements.len());
                check_elements(root, keyword, rule, elements.split_at(first))?;
            }
            keyword => panic!("the keyword {keyword} is not known"),
        }
    }
    Ok(())
}

/// Checks the elements of a list against a rule: the first ones, which have rules of their own, and
/// the others.
fn check_elements(
    root: &Value,
    keyword: &str,
    rule: &Value,
    (first, others): (&[Value], &[Value]),
) -> Result<(), String> {
    let length = (first.len() + others.len()) as u64;
    match keyword {
        "prefixItems" => {
            let mut parts = rule.as_array().unwrap().iter().zip(first);
            parts.try_for_each(|(part, value)| check(root, part, value))
        }
        "items" => others.iter().try_for_each(|value| check(root, rule, value)),
        "minItems" if length < rule.as_u64().unwrap() => Err(format!("expected {rule} elements")),
        "maxItems" if length > rule.as_u64().unwrap() => Err(format!("expected {rule} elements")),
        _ => Ok(()),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        name => panic!("the type {name} is not known"),
    }
}
