import type { CustomKindSpec } from "#domain/workload/custom/kind";
import type { FieldPath } from "#domain/workload/image-places";

/*
 * The parts of the policy about kinds of other operators. Without such kinds, the policy has none of
 * these parts.
 */

/** A kind whose images are in a pod template. */
interface TemplateKind {
  readonly spec: CustomKindSpec;
  readonly path: FieldPath;
}

/** A kind with single images. */
interface FieldsKind {
  readonly spec: CustomKindSpec;
  readonly paths: readonly FieldPath[];
  /** Returns the repositories of the first images at a path; empty if Lookout writes none. */
  readonly repositoriesAt: (path: FieldPath) => readonly string[];
}

const usualTemplate = "spec.template";

/** Returns the kinds whose pod template has another place than `spec.template`. */
export function otherTemplates(kinds: readonly CustomKindSpec[]): readonly TemplateKind[] {
  return kinds.flatMap((spec) =>
    spec.images.kind === "template" && spec.images.path.join(".") !== usualTemplate
      ? [{ spec, path: spec.images.path }]
      : [],
  );
}

/** Returns the kinds with single images. */
export function fieldsKinds(kinds: readonly CustomKindSpec[]): readonly FieldsKind[] {
  return kinds.flatMap((spec) => {
    if (spec.images.kind !== "fields") return [];
    const { paths, initial = {} } = spec.images;
    const firsts = Object.entries(initial).map(([name, repository]) => ({ at: paths[name]?.join("."), repository }));
    const repositoriesAt = (path: FieldPath): readonly string[] =>
      firsts.filter(({ at }) => at === path.join(".")).map(({ repository }) => repository);
    return [{ spec, paths: Object.values(paths), repositoriesAt }];
  });
}

/** Returns the CEL condition that a request is about a kind. */
export function isOfKind({ group, plural }: Pick<CustomKindSpec, "group" | "plural">): string {
  return `[request.resource.group, request.resource.resource] == ${JSON.stringify([group, plural])}`;
}

/** Returns the CEL expression of an optional field, whose name may be a word of CEL. */
function maybe(object: string, field: string): string {
  return `${object}[?${JSON.stringify(field)}]`;
}

/** Returns the CEL expression of a field below an object. */
export function fieldAt(object: string, path: FieldPath): string {
  return `${object}${path.map((field) => `[${JSON.stringify(field)}]`).join("")}`;
}

/** The fields that may change, as a tree. A leaf may change. */
type Tree = ReadonlyMap<string, Tree>;

function treeOf(paths: readonly FieldPath[]): Tree {
  const heads = Map.groupBy(
    paths.filter((path) => path.length > 0),
    ([head = ""]) => head,
  );
  return new Map([...heads].map(([head, below]) => [head, treeOf(below.map(([, ...rest]) => rest))]));
}

/**
 * Returns the CEL condition that only the fields at these paths of the spec differ.
 *
 * @param same - returns the condition that two maps differ only in some keys `k`.
 * @param leaf - returns the condition about a field that may differ.
 */
export function onlyAt(
  paths: readonly FieldPath[],
  same: (before: string, after: string, mayDiffer: string) => string,
  leaf: (before: string, after: string, path: FieldPath) => string | undefined,
): string {
  const conditionsOf = (before: string, after: string, tree: Tree, above: FieldPath): readonly string[] => [
    same(before, after, `k in ${JSON.stringify([...tree.keys()])}`),
    ...[...tree].flatMap(([field, below]) => {
      if (below.size > 0)
        return conditionsOf(`${maybe(before, field)}.orValue({})`, `${maybe(after, field)}.orValue({})`, below, [
          ...above,
          field,
        ]);
      const path = [...above, field];
      return leaf(`${maybe(before, field)}.orValue('')`, `${maybe(after, field)}.orValue('')`, path) ?? [];
    }),
  ];
  const [, ...specs] = treeOf(paths).keys();
  if (specs.length > 0) throw new Error("only fields of the spec are patched");
  const inSpec = treeOf(paths).get("spec") ?? new Map<string, Tree>();
  return conditionsOf("oldObject.spec", "object.spec", inSpec, ["spec"]).join(" &&\n");
}
