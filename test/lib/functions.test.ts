import { describe, expect, it } from "vitest";
import { queueVariable } from "#contracts/aws/environment";
import { functionName, queueOf, type Route } from "#contracts/routes";
import { allRoutes, deploy, functionNames, sendingAhead } from "./deployed.ts";

const stack = deploy({
  clusters: [{ name: "prod", eks: { name: "prod" } }],
  receivers: [{ name: "builds", kind: "generic", secretEnv: "BUILDS" }],
  tiers: [{ name: "dev" }, { name: "prod" }],
});
const titled = allRoutes.map((route) => ({ title: functionName(route), route }));

const idsOf = (type: string): readonly string[] => [...stack.resources(type).keys()];
const idIn = (value: unknown): string => stack.text(value).replaceAll(/[<>]|\.Arn/g, "");

describe("the stack", () => {
  it("has one function for each route, and no other", () => {
    const handlers = [...stack.resources("AWS::Lambda::Function").values()].map(({ Handler }) => Handler);

    expect(handlers.toSorted()).toEqual(functionNames.map((name) => `${name}.handler`).toSorted());
  });

  it("builds the code of all functions once", () => {
    const keys = [...stack.resources("AWS::Lambda::Function").values()].map(({ Code }) => JSON.stringify(Code));

    expect(new Set(keys).size).toBe(1);
  });

  it("keeps every log for a month, and none forever", () => {
    const logs = [...stack.resources("AWS::Logs::LogGroup").values()];

    expect(logs.map(({ RetentionInDays }) => RetentionInDays)).toEqual(
      Array.from({ length: allRoutes.length + 1 }, () => 30),
    );
  });
});

describe.each(titled)("$title", ({ route }) => {
  const deployed = stack.function(functionName(route));

  it("runs on Node 24 and arm64, with the timeout of its route, and more memory for clusters", () => {
    expect(deployed).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Timeout: route.timeoutMs / 1_000,
      MemorySize: route.reaches.includes("clusters") ? 512 : 256,
    });
  });

  it("may start itself by messages as often as an update needs", () => {
    const isQueued = /command|event|dead-letter/.test(route.trigger.kind);

    expect(deployed["RecursiveLoop"]).toBe(isQueued ? "Allow" : undefined);
  });

  it("logs as JSON, and of Lambda's own lines only failed runs", () => {
    expect(deployed["LoggingConfig"]).toMatchObject({ LogFormat: "JSON", SystemLogLevel: "WARN" });
  });

  it("has its own role and log", () => {
    const own = stack.lookout.function(functionName(route)).node.id.replaceAll("-", "");
    const { Role, LoggingConfig } = deployed as { Role: unknown; LoggingConfig: { LogGroup: unknown } };
    const ids = [idIn(Role), idIn(LoggingConfig.LogGroup)];

    expect(ids).toEqual([expect.stringContaining(`${own}Role`), expect.stringContaining(`${own}Log`)]);
    expect(idsOf("AWS::IAM::Role")).toContain(ids[0]);
    expect(idsOf("AWS::Logs::LogGroup")).toContain(ids[1]);
  });

  it("keeps events whose runs all failed if schedules start it, and only then retries events", () => {
    const ownId = stack.lookout.function(functionName(route)).node.id.replaceAll("-", "");
    const configs = [...stack.resources("AWS::Lambda::EventInvokeConfig").values()].filter(({ FunctionName: id }) =>
      idIn(id).startsWith(`Lookout${ownId}Function`),
    );

    expect(
      configs.map(({ DestinationConfig, MaximumEventAgeInSeconds: age }) => [
        idIn((DestinationConfig as { readonly OnFailure: { readonly Destination: unknown } }).OnFailure.Destination),
        age,
      ]),
    ).toEqual(
      route.trigger.kind === "schedule"
        ? [[expect.stringContaining("LookoutKept"), route.trigger.everyMs / 1_000]]
        : [],
    );
    expect(deployed["DeadLetterConfig"]).toBeUndefined();
  });

  it("has the environment of its rights, and nothing else", () => {
    const { Variables } = deployed["Environment"] as { Variables: object };

    expect(Object.keys(Variables).toSorted()).toEqual(variablesOf(route).toSorted());
  });
});

function variablesOf({ trigger, emits, reaches, ...route }: Route): readonly string[] {
  const isQueued = trigger.kind === "command" || trigger.kind === "event" || trigger.kind === "dead-letter";
  const commands = emits.filter((name) => name !== "ImagePushed" && name !== "facts");
  const sent = new Set([...commands, ...(trigger.kind === "command" ? [trigger.command] : [])].map(queueOf));
  return [
    "LOOKOUT_STACK_NAME",
    ...(reaches.some((reach) => /table|ledger|told/.test(reach)) ? ["LOOKOUT_TABLE"] : []),
    ...(isQueued ? ["LOOKOUT_DEAD_LETTER_QUEUE"] : []),
    ...(isQueued || trigger.kind === "changes" ? ["LOOKOUT_KEPT_QUEUE"] : []),
    ...[...sent].map(queueVariable),
    ...(sendingAhead.includes(functionName(route)) ? ["LOOKOUT_SCHEDULE_GROUP", "LOOKOUT_SCHEDULE_ROLE"] : []),
    ...(emits.length > commands.length ? ["LOOKOUT_BUS"] : []),
    ...(reaches.includes("clusters") ? ["LOOKOUT_ACCESS_ROLE"] : []),
    ...(reaches.includes("registries") ? ["LOOKOUT_REGISTRY_ROLE"] : []),
  ];
}
