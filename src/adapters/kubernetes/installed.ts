import { isObject } from "#domain/shared/json";
import type { Answer } from "./connection-answer.ts";
import type { Connection } from "./connection.ts";
import type { ReadKind } from "./kinds/index.ts";

/**
 * Returns whether the API server says that it lacks the custom resource of a kind. A 404 of a proxy
 * proves nothing, so the groups of the server must be readable.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
 */
export async function isMissing(
  api: Connection,
  { resource }: Pick<ReadKind, "resource">,
  signal: AbortSignal,
): Promise<boolean> {
  if (resource === undefined) return false;
  const { group, version, plural } = resource;
  const get = (path: string): Promise<Answer> => api.send(({ any }) => any({ method: "GET", path }), signal);
  const resources = await get(`/apis/${group}/${version}`);
  const names = namesIn(resources, "resources", "name");
  if (names !== undefined) return !names.includes(plural);
  if (!isPageNotFound(resources)) return false;
  const groups = namesIn(await get("/apis"), "groups", "name");
  // The group may have other versions.
  return groups !== undefined;
}

/** Returns whether an answer is a 404 about the path, and not about an object. */
export function isPageNotFound(answer: { readonly kind: string; readonly status?: number }): boolean {
  return answer.kind === "answered" && answer.status === 404;
}

function namesIn(answer: Answer, list: string, key: string): readonly unknown[] | undefined {
  const body = answer.kind === "answered" && answer.status === 200 ? answer.body : undefined;
  const items = isObject(body) ? body[list] : undefined;
  return Array.isArray(items) ? items.map((item) => (isObject(item) ? item[key] : undefined)) : undefined;
}
