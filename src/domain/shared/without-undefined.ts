/** Returns an object without its undefined members. */
export function withoutUndefined<Value extends object>(value: {
  readonly [Key in keyof Value]: Value[Key] | undefined;
}): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value;
}
