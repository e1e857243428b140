import { annotationPrefix } from "../annotations/written-settings.ts";
import { unusableSetting } from "./setting-keys.ts";
import type { CustomKindSpec } from "../workload/custom/kind.ts";
import { whyUnusable } from "../workload/custom/standing.ts";

/** Returns annotations that an object does not have, about its problems; empty if it has none. */
export function problemsOf(
  spec: CustomKindSpec,
  object: unknown,
  annotations: Readonly<Record<string, string>> | null | undefined,
): Readonly<Record<string, string>> {
  const why = whyUnusable(spec, object) ?? whyNoTemplate(spec, annotations ?? {});
  return why === undefined ? {} : { [`${annotationPrefix}${unusableSetting}`]: why };
}

/** Restarts and labels are written to a pod template. */
function whyNoTemplate(
  { images, kind }: CustomKindSpec,
  annotations: Readonly<Record<string, string>>,
): string | undefined {
  if (images.kind === "template") return undefined;
  const own = Object.entries(annotations).filter(([key]) => key.startsWith(annotationPrefix));
  const needs = own.find(
    ([key, value]) =>
      key === `${annotationPrefix}attribute-labels` ||
      (/\bapply$|^[^.]*\/containers$/.test(key) && /\brestart\b/.test(value)),
  );
  if (needs === undefined) return undefined;
  return `${needs[0].slice(annotationPrefix.length)}: a ${kind} has no pod template in lookout.yaml`;
}
