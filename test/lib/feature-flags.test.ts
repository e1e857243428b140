import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { LookoutStack } from "#lib/stack/lookout-stack";
import { Settings } from "#lib/stack/settings";
import type { Resources } from "./edits/identifiers.ts";
import { errorsOf, noCode, testApp, warningsOf } from "./deployed.ts";
import { findingsOf } from "./findings.ts";

type Flags = Readonly<Record<string, unknown>>;

const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Flags;
const require = createRequire(import.meta.url);
const recommended = read(require.resolve("aws-cdk-lib/recommended-feature-flags.json"));
const { context } = read(new URL("../../cdk.json", import.meta.url).pathname) as { readonly context: Flags };
const env = { account: "111122223333", region: "eu-central-1" };

function stackWith(flags: Flags, where: { readonly env?: typeof env }): { app: App; stack: LookoutStack } {
  const app = testApp(flags);
  const configuration = new URL("everything.yaml", import.meta.url).pathname;
  return {
    app,
    stack: new LookoutStack(app, "Lookout", {
      functions: noCode,
      settings: Settings.fromFile(configuration),
      ...where,
    }),
  };
}

/** The resources of a stack. */
const resourcesOf = ({ stack }: ReturnType<typeof stackWith>) =>
  Template.fromStack(stack).toJSON()["Resources"] as Resources;

describe("the feature flags of the CDK", () => {
  it("are in cdk.json as cdk init writes them", () => {
    expect(Object.fromEntries(Object.entries(context).filter(([key]) => key.startsWith("@aws-cdk")))).toEqual(
      recommended,
    );
  });

  it.each([
    { where: "of any account", at: {} },
    { where: "of a named account and region", at: { env } },
  ])("leave the stack $where valid, with all of them and with none", ({ at }) => {
    for (const flags of [{}, context]) {
      const { app, stack } = stackWith(flags, at);
      expect([...errorsOf(stack), ...warningsOf(stack)]).toEqual([]);
      expect(findingsOf(app)).toEqual([]);
    }
  });

  it("change only the policies, and no logical id, so that you may set others in your own app", () => {
    const [without, all] = [{}, context].map((flags) => resourcesOf(stackWith(flags, {})));
    const othersOf = (resources: Resources = {}) =>
      Object.entries(resources).filter(([, { Type }]) => !/^AWS::IAM::|Policy$/.test(Type));
    const idsOf = (resources: Resources = {}) => Object.entries(resources).map(([id, { Type }]) => `${Type} ${id}`);

    expect(idsOf(all).toSorted()).toEqual(idsOf(without).toSorted());
    expect(Object.fromEntries(othersOf(all))).toEqual(Object.fromEntries(othersOf(without)));
  });
});
