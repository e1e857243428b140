import fc from "fast-check";
import type * as z from "zod/mini";

/** Texts that programs have stumbled over, and texts that mean something to Lookout. */
const texts = fc.oneof(
  fc.constantFrom(
    ...["", " ", "/", "a/b/c/d", "#", "%", "__proto__", "constructor", "toString", "\u0000", "null"],
    ...["shop", "prod", "app", "api", "latest", "1.1.0", "0.9.0", "registry.test/shop/api", "registry.test"],
    ...["registry.test/shop/api:1.1.0", "evil.test/x:1@sha256:0", "1.2.3.4.5/x", "reg:99999/x", "x".repeat(300)],
    ...[`sha256:${"e".repeat(64)}`, "2026-11-21T10:00:00Z", "true", "semver", "(a+)+$"],
  ),
  fc.string({ maxLength: 12, unit: "grapheme" }),
);

const latest = 253_402_300_799_999;
const numbers = fc.oneof(
  fc.constantFrom(0, 1, 2, 1_795_255_200_000, latest - 1, latest),
  fc.integer({ min: 0, max: latest }),
  fc.integer({ min: 0, max: 5 }),
);

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
  readonly checks?: readonly z.core.$ZodCheck[];
}

/** Returns the bound of a check; undefined without the check. */
function boundOf({ checks = [] }: Definition, name: string): number | undefined {
  const found = checks
    .map(({ _zod }) => _zod.def as unknown as Record<string, unknown>)
    .find(({ check }) => check === name);
  return found === undefined ? undefined : Number(found["value"] ?? found["minimum"]);
}

/** Returns values of a shape, as an attacker who knows the shape would write them. Some miss a rule of the shape. */
export function arbitraryOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const definition = schema._zod.def as unknown as Definition;
  switch (definition.type) {
    case "object": {
      const members = Object.entries(definition.shape ?? {});
      const optional = members.filter(([, one]) => one._zod.optout === "optional").map(([name]) => name);
      const needed = members.map(([name]) => name).filter((name) => !optional.includes(name));
      return fc.record(Object.fromEntries(members.map(([name, one]) => [name, arbitraryOf(one)])), {
        requiredKeys: needed,
      });
    }
    case "array":
      return fc.array(arbitraryOf(definition.element!), { minLength: 1, maxLength: 2 });
    case "readonly":
    case "optional":
      return arbitraryOf(definition.innerType!);
    case "pipe":
      return arbitraryOf(definition.in!);
    case "record":
      return fc.dictionary(texts, arbitraryOf(definition.valueType!), { maxKeys: 3 });
    case "union":
      return fc.oneof(...definition.options!.map(arbitraryOf));
    case "enum":
      return fc.constantFrom(...Object.values(definition.entries!));
    case "literal":
      return fc.constantFrom(...definition.values!);
    case "boolean":
      return fc.boolean();
    case "number": {
      const [least = 0, most = latest] = ["greater_than", "less_than"].map((name) => boundOf(definition, name));
      return numbers.map((number) => Math.min(Math.max(number, least), most - 1));
    }
    case "string":
      return boundOf(definition, "min_length") === undefined ? texts : texts.filter((text) => text !== "");
    default:
      throw new Error(`no arbitrary for ${definition.type}`);
  }
}
