import type { Collection } from "./collections.ts";

/** The place of a resource that the generated APIs lack. */
export interface AnyResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Returns the path of an object of a resource. */
export function objectPath(
  { group, version, plural }: AnyResource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `/apis/${group}/${version}/namespaces/${encodeURIComponent(namespace)}/${plural}/${encodeURIComponent(name)}`;
}

/** Returns the call that lists a resource in a namespace, or in all. */
export function listOf({ group, version, plural }: AnyResource): Collection["list"] {
  const root = `/apis/${group}/${version}`;
  return ({ any }, { namespace, _continue, ...query }) =>
    any({
      method: "GET",
      path: namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`,
      query: texts({ ...query, continue: _continue }),
    });
}

function texts(query: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  );
}
