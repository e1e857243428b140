import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import * as z from "zod";
import { definitionsOf } from "#cli/manifests/definitions/index";
import { type DefinitionKind, definitionKinds, type DefinitionObject } from "#domain/definitions/definition";
import { epochMs } from "#domain/shared/time";
import { blocksOf, type Page } from "./markdown.ts";

/** The schema of an object, as far as these tests look into it. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** Returns the schema of a kind, as its CustomResourceDefinition has it. */
function schemaOf(kind: DefinitionKind): Shape {
  const definitions = definitionsOf() as readonly {
    readonly spec: {
      readonly names: { readonly kind: string };
      readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Shape } }[];
    };
  }[];
  const found = definitions.find(({ spec }) => spec.names.kind === kind);
  if (found === undefined) throw new Error(`no definition of ${kind}`);
  return found.spec.versions[0]!.schema.openAPIV3Schema;
}

/** Returns the paths of the leaves below a field: `tagPolicy.strategy`, `tiers[].image`. */
export function fieldsOf(kind: DefinitionKind, part: "spec" | "status"): readonly string[] {
  const leaves = ({ properties, items }: Shape, path: string): readonly string[] => {
    if (items?.properties !== undefined) return leaves(items, `${path}[]`);
    if (properties === undefined) return [path];
    return Object.entries(properties).flatMap(([name, shape]) => leaves(shape, path === "" ? name : `${path}.${name}`));
  };
  return leaves(schemaOf(kind).properties?.[part] ?? {}, "");
}

/** Returns the only object of a kind on a page, as a cluster would list it. */
export function exampleOf(page: Page, kind: DefinitionKind): DefinitionObject {
  const examples = blocksOf(page)
    .filter(({ language }) => language === "yaml")
    .map(({ text }) => parse(text) as { readonly kind?: string })
    .filter((one) => definitionKinds.some((known) => known === one.kind));
  const [only] = examples;
  if (examples.length !== 1 || only?.kind !== kind) throw new Error(`${page.path} has not one ${kind}`);
  const { metadata, spec } = only as unknown as {
    readonly metadata: { readonly namespace: string; readonly name: string };
    readonly spec: unknown;
  };
  const { namespace, name } = metadata;
  const read = z.fromJSONSchema(strict(schemaOf(kind)) as Parameters<typeof z.fromJSONSchema>[0]).parse(only);
  if (!isDeepStrictEqual(Object.keys(read as object), Object.keys(only)))
    throw new Error(`${page.path} has other fields`);
  return {
    ...{ kind, namespace, name, uid: "u-1", resourceVersion: "1", generation: 1, createdAt: epochMs(0) },
    ...{ spec, status: undefined },
  };
}

/** Returns a schema that refuses unknown fields, as `kubectl apply` does. */
function strict(shape: Shape): object {
  const { properties, items } = shape;
  return {
    ...shape,
    ...(items === undefined ? {} : { items: strict(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, strict(own)])),
          additionalProperties: false,
        }),
  };
}
