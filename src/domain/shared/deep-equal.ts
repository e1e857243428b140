/**
 * Says whether two plain values say the same: the same texts, numbers and lists, and the same fields whatever their order.
 *
 * A field that is undefined counts as absent. Order of fields is not kept by every store, so comparing the written text would not do.
 */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [one, other] = [fieldsOf(left), fieldsOf(right)];
  return (
    one.size === other.size && [...one].every(([key, value]) => other.has(key) && deepEqual(value, other.get(key)))
  );
}

function fieldsOf(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined));
}
