/** Copies a plain value: texts, numbers, lists and fields, as deep as they go. Far cheaper than a structured clone, which can do more. */
export function copyOf<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => copyOf(one)) as Value;
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) copy[key] = copyOf(field);
  return copy as Value;
}
