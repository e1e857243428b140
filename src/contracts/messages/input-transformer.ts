import type { InputTransform } from "./events.ts";

/**
 * Does what an input transformer of EventBridge does with an event, for templates that are JSON with variables inside texts: each
 * `<variable>` becomes the text at its path, escaped as JSON wants it, and nothing at all when the event has no such member.
 *
 * @throws Error when a variable has no path, or something else than a text is at its path.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
export function transformed({ paths, template }: InputTransform, event: unknown): string {
  return template.replaceAll(/<([A-Za-z0-9_-]+)>/g, (_, name: string) => {
    const path = paths[name];
    if (path === undefined) throw new Error(`the template names <${name}>, which has no path`);
    const value = valueAt(path, event);
    if (value === undefined) return "";
    if (typeof value !== "string") throw new Error(`${path} is not a text`);
    return JSON.stringify(value).slice(1, -1);
  });
}

/** Follows a path of names: `$.detail.image-tag`. */
function valueAt(path: string, event: unknown): unknown {
  const [root, ...names] = path.split(".");
  if (root !== "$") throw new Error(`${path} does not begin at the root`);
  return names.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined,
    event,
  );
}
