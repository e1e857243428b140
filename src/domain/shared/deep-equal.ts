/**
 * Returns whether two plain values are equal, with fields in any order. An undefined field counts
 * as absent.
 */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const one = fieldsOf(left);
  const other = fieldsOf(right);
  return (
    one.size === other.size && [...one].every(([key, value]) => other.has(key) && deepEqual(value, other.get(key)))
  );
}

function fieldsOf(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined));
}
