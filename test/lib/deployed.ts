import { App, Stack, Stage } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { type Configuration, parseConfiguration } from "#contracts/config/configuration";
import { functionName, type FunctionName, type Route, routes } from "#contracts/routes";
import { Lookout } from "#lib/stack/lookout";
import { Settings } from "#lib/stack/settings";

/** Functions that send commands hours ahead, as they store what waits for a timer. */
export const sendingAhead: readonly FunctionName[] = [
  ...(["evaluate/image-pushed", "evaluate/evaluate-workload", "gate/wake", "gate/ask-checks"] as const),
  ...(["gate/dead-letter", "rollout/roll-out", "verify/check-rollout", "notify/deliver", "api/v1"] as const),
];

/** What one resource of a template says. */
export type Properties = Readonly<Record<string, unknown>>;

/** Every function of the route table. */
export const allRoutes: readonly Route[] = routes;

/** Nothing is built for tests of the template: the code is an empty folder. */
export const noCode = import.meta.dirname + "/no-code";

/** An app that puts no assets together. Without feature flags, as an app of a user may be. */
export function testApp(flags: Readonly<Record<string, unknown>> = {}): App {
  return new App({
    context: { ...flags, "aws:cdk:bundling-stacks": [], "aws:cdk:disable-stack-trace": true },
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
  });
}

/** Reads what a test writes as `lookout.yaml`. */
export function configured(input: unknown): Configuration {
  const parsed = parseConfiguration(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem));
  return parsed.value;
}

/** A stack with Lookout in it, as CloudFormation gets it. */
export interface Deployed {
  readonly template: Template;
  readonly lookout: Lookout;
  /** Answers the resources of a type by their logical ids. */
  readonly resources: (type: string) => ReadonlyMap<string, Properties>;
  /** Answers what a function is deployed as. */
  readonly function: (name: FunctionName) => Properties;
  /** What keeps it from being deployed. */
  readonly errors: readonly string[];
  /** What a person is told who deploys it. */
  readonly warnings: readonly string[];
  /**
   * Writes a value of the template as one text: `<AWS::Partition>` and `<Id.Arn>` for what is known
   * when it is deployed.
   */
  readonly text: (value: unknown) => string;
}

/** The channel of an installation whose test names no channels, so that it has every function. */
export const oneChannel = {
  name: "audit",
  kind: "webhook",
  address: "https://audit.example.com/lookout",
  secretParameter: "/teams/audit",
};

/** The check of an installation whose test names no checks. */
export const oneCheck = { name: "scan", address: "https://scan.example.com/check", secretEnv: "SCAN_KEY" };

/** Makes the template of an installation. It has {@link oneChannel} and {@link oneCheck} unless it names others. */
export function deploy(input: Readonly<Record<string, unknown>> = {}, name = "Test"): Deployed {
  const stack = new Stack(testApp(), name);
  const settings = Settings.of({ channels: [oneChannel], checks: [oneCheck], ...input });
  const lookout = new Lookout(stack, "Lookout", { settings, functions: noCode });
  const template = Template.fromStack(stack);
  const resources = (type: string): ReadonlyMap<string, Properties> =>
    new Map(
      Object.entries(template.findResources(type)).map(([id, resource]) => [
        id,
        (resource as { Properties?: Properties }).Properties ?? {},
      ]),
    );
  const functions = resources("AWS::Lambda::Function");
  return {
    template,
    lookout,
    resources,
    function: (name) => {
      const found = [...functions.values()].find(({ Handler }) => Handler === `${name}.handler`);
      if (found === undefined) throw new Error(`no function ${name} is deployed`);
      return found;
    },
    errors: errorsOf(stack),
    warnings: warningsOf(stack),
    text: flat,
  };
}

/** What keeps a stack from being deployed. */
export function errorsOf(stack: Stack): readonly string[] {
  return toldOf(stack, "error");
}

/** What whoever deploys a stack is told without a warning. */
export function infosOf(stack: Stack): readonly string[] {
  return toldOf(stack, "info");
}

/** What whoever deploys a stack is told, without how to silence it. */
export function warningsOf(stack: Stack): readonly string[] {
  return toldOf(stack, "warning").map((text) => text.replace(/ \[ack: .*\]$/, ""));
}

/**
 * `Annotations.fromStack` would synthesize the app again with each call, which takes most of a
 * test.
 */
function toldOf(stack: Stack, level: "error" | "info" | "warning"): readonly string[] {
  const assembly = Stage.of(stack)?.synth();
  const messages = assembly?.getStackArtifact(stack.artifactId).messages ?? [];
  return messages.filter((message) => message.level.valueOf() === level).map(({ entry }) => entry.data as string);
}

interface Intrinsic {
  readonly Ref?: string;
  readonly "Fn::GetAtt"?: readonly [string, string];
  readonly "Fn::Join"?: readonly [string, readonly unknown[]];
  readonly "Fn::Select"?: readonly [number, { readonly "Fn::Split": readonly [string, unknown] }];
}

/** Writes a value of a template as one text: `<AWS::Partition>`, `<Id.Arn>`, `<Id.Arn>[1]`. */
export function flat(value: unknown): string {
  if (typeof value === "string") return value;
  const { Ref: ref, "Fn::GetAtt": attribute, "Fn::Join": joined, "Fn::Select": selected } = value as Intrinsic;
  if (ref !== undefined) return `<${ref}>`;
  if (attribute !== undefined) return `<${attribute.join(".")}>`;
  if (joined !== undefined) return joined[1].map(flat).join(joined[0]);
  if (selected !== undefined) return `${flat(selected[1]["Fn::Split"][1])}[${selected[0]}]`;
  throw new Error(`not a text: ${JSON.stringify(value)}`);
}

/** The names of functions, for `it.each`. */
export const functionNames: readonly FunctionName[] = allRoutes.map(functionName);
