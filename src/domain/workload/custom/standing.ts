import { isObject, valueAt } from "../../shared/json.ts";
import { shortened } from "../../shared/shown-text.ts";
import { containersAt, templateAt } from "../image-places.ts";
import type { CustomKindSpec } from "./kind.ts";
import { holds, isOfSpec, statementText } from "./statement.ts";

/** How the rollout of an object stands, from the object alone. */
export type Standing =
  /** The operator has not observed the last change. */
  | { readonly kind: "unseen" }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly detail: string }
  | { readonly kind: "paused" }
  | { readonly kind: "underway" };

/** The most characters of a message of an operator that Lookout stores. */
const mostOfMessage = 200;

/**
 * Returns how the rollout of an object stands. A failure goes before a pause, because an aborted
 * rollout may be paused too.
 */
export function standingOf(spec: CustomKindSpec, object: unknown): Standing {
  if (!isObserved(spec, object)) return { kind: "unseen" };
  const failure = spec.failed.find((statement) => holds(statement, object));
  if (failure !== undefined) {
    const message = spec.message === undefined ? undefined : valueAt(object, spec.message);
    const why = typeof message === "string" && message !== "" ? `: ${shortened(message, mostOfMessage)}` : "";
    return { kind: "failed", detail: `${spec.kind} failed, because ${statementText(failure, object)}${why}` };
  }
  if (spec.paused.some((statement) => holds(statement, object))) return { kind: "paused" };
  return { kind: spec.ready.every((statement) => holds(statement, object)) ? "ready" : "underway" };
}

/** Some operators write the generation as text. */
function isObserved({ observedGeneration }: CustomKindSpec, object: unknown): boolean {
  if (observedGeneration === undefined) return true;
  const observed = valueAt(object, observedGeneration);
  const generation = valueAt(object, ["metadata", "generation"]) ?? 0;
  return (typeof observed === "number" || typeof observed === "string") && Number(observed) >= Number(generation);
}

/** Returns whether a field of the spec pauses the rollouts of an object. */
export function isPausedBySpec(spec: CustomKindSpec, object: unknown): boolean {
  return spec.paused.some((statement) => isOfSpec(statement) && holds(statement, object));
}

/**
 * Returns the number of pods that an object wants, or undefined if it does not say. Users omit one
 * pod in a spec, and operators omit no pod in a status.
 */
export function replicasOf({ replicas }: CustomKindSpec, object: unknown): number | undefined {
  if (replicas === undefined) return undefined;
  const wanted = valueAt(object, replicas) ?? (replicas[0] === "status" ? 0 : 1);
  return typeof wanted === "number" ? wanted : undefined;
}

/** Returns why Lookout can't update an object of its kind, or undefined if it can. */
export function whyUnusable(spec: CustomKindSpec, object: unknown): string | undefined {
  const refused = spec.refused.find(({ path }) => (valueAt(object, path) ?? null) !== null);
  if (refused !== undefined) return `${refused.path.join(".")}: ${refused.because}`;
  if (containersAt(spec.images, object).some(({ image }) => image !== "")) return undefined;
  return spec.images.kind === "template" ? whyNoTemplate(spec, object) : whyNoImages(spec, object);
}

function whyNoTemplate({ images, kind }: CustomKindSpec, object: unknown): string {
  const place = images.kind === "template" ? images.path.join(".") : "";
  return templateAt(images, object) === undefined
    ? `${place}: this ${kind} has no pod template with named containers there`
    : `${place}: no container of this ${kind} has an image`;
}

function whyNoImages({ images, kind }: CustomKindSpec, object: unknown): string {
  const paths = images.kind === "fields" ? Object.values(images.paths) : [];
  const wrong = paths.find((path) => isObject(valueAt(object, path)));
  const place = (wrong ?? paths[0] ?? []).join(".");
  return `${place}: this ${kind} has no image there, such as registry.example/api:1.4.2`;
}
