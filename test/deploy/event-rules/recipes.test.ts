import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventDetail } from "#contracts/messages/events";
import { valueAt } from "#domain/shared/json";
import { epochMs } from "#domain/shared/time";
import { type Fact, type FactName, factNames } from "#domain/update/events";
import { page } from "../../docs/markdown.ts";
import { ownAccount } from "./ecr-events.ts";
import { type Verdict, verdicts } from "./event-ruler.ts";

interface Rule {
  readonly EventPattern: object;
  readonly Targets: readonly [
    {
      readonly InputTransformer: {
        readonly InputPathsMap: Readonly<Record<string, string>>;
        readonly InputTemplate: string;
      };
    },
  ];
}

const blocksOf = (path: string) => [...page(path).text.matchAll(/```yaml\n([\s\S]*?)```/g)];
const templates = blocksOf("docs/base-images.md").filter(([, text = ""]) => text.includes("Resources:"));
const rules = [...blocksOf("docs/notifications-on-aws.md"), ...templates].map(([, text = ""]) => {
  const known = text.replaceAll('{ Ref: "AWS::AccountId" }', JSON.stringify(ownAccount));
  return (parse(known) as { readonly Resources: { readonly Rule: { readonly Properties: Rule } } }).Resources.Rule
    .Properties;
});

function eventOf(name: FactName, more: Partial<Fact> = {}): object {
  const fact: Fact = {
    ...{ name, id: `u/1/2/${name}`, uid: "u", seq: 1, version: 2, at: epochMs(1), changes: [], reasons: [] },
    workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
    ...more,
  };
  const frame = { id: "e", account: ownAccount, source: "lookout", "detail-type": name };
  return { ...frame, detail: eventDetail(fact) };
}

/** Puts a value in place of each variable, as EventBridge does outside of quotes. */
function filled({ Targets: [{ InputTransformer }] }: Rule, event: object): unknown {
  const { InputPathsMap: paths, InputTemplate: template } = InputTransformer;
  const text = template.replaceAll(/<(\w+)>/g, (_, name: string) =>
    JSON.stringify(
      valueAt(
        event,
        (paths[name] ?? "").split(/[.[\]]+/).filter((part) => part !== "$" && part !== ""),
      ),
    ),
  );
  return JSON.parse(text);
}

describe("the rules of the page about notifications", () => {
  const again = eventOf("ApprovalRequested", { again: true });
  const foreign = { ...eventOf("RolledBack"), account: "210987654321" };
  const outage = { name: "RegistryUnreachable", id: "r", registry: "r.test", detail: "timeout" } as const;
  const unreachable = {
    ...{ ...foreign, account: ownAccount, "detail-type": outage.name },
    detail: eventDetail({ ...outage, since: epochMs(1), at: epochMs(1) }),
  };
  let taken: readonly Verdict[];
  beforeAll(async () => {
    const events = [...factNames.map((name) => eventOf(name)), again, foreign, unreachable];
    taken = await verdicts(rules.map(({ EventPattern: pattern }) => ({ pattern, events })));
  });

  it.each([
    {
      row: 0,
      of: "Amazon Q",
      names: [
        ...["ApprovalRequested", "ApprovalRejected", "ApprovalExpired", "ApprovalVoided", "RolloutSucceeded"],
        ...["RolloutFailed", "RollbackStarted", "RolledBack", "RollbackFailed", "RevertedByUser", "TierHalted"],
      ],
    },
    {
      row: 1,
      of: "an API destination",
      names: ["RolloutFailed", "RollbackStarted", "RolledBack", "RollbackFailed"],
    },
    { row: 2, of: "CodeBuild", names: ["BaseImageMoved"] },
    { row: 3, of: "GitHub", names: ["BaseImageMoved"] },
  ])("take the facts that they are for, each once and of this account: $of", ({ row, names }) => {
    const verdict = taken[row] as readonly boolean[];

    expect(rules).toHaveLength(4);
    expect(factNames.filter((_, index) => verdict[index])).toEqual(names);
    expect(verdict.slice(factNames.length)).toEqual([false, false, false]);
  });

  const failed = eventOf("RolloutFailed", { reasons: [{ reason: "rollout-failed", detail: 'says "no" \\ <b>' }] });
  const { text } = (failed as { readonly detail: { readonly text: string } }).detail;

  it("make the message that Amazon Q shows", () => {
    expect(text).toContain('says "no"');
    expect(rules[0] && filled(rules[0], failed)).toEqual({
      version: "1.0",
      source: "custom",
      content: { textType: "client-markdown", title: "RolloutFailed", description: text, keywords: ["error"] },
      metadata: { threadId: "u", summary: text, eventType: "RolloutFailed" },
    });
  });

  it("make the body of an API destination", () => {
    expect(rules[1] && filled(rules[1], failed)).toEqual({ id: "u/1/2/RolloutFailed", text, outcome: "failed" });
  });

  const moved = { image: "docker.io/library/node:22", from: "sha256:1", digest: "sha256:2" };
  const baseMoved = eventOf("BaseImageMoved", { baseImages: [moved] });

  it("make the environment of a build", () => {
    expect(rules[2] && filled(rules[2], baseMoved)).toEqual({
      environmentVariablesOverride: [
        { name: "BASE_IMAGE", type: "PLAINTEXT", value: moved.image },
        { name: "BASE_DIGEST", type: "PLAINTEXT", value: moved.digest },
      ],
    });
  });

  it("make the repository_dispatch that GitHub takes", () => {
    expect(rules[3] && filled(rules[3], baseMoved)).toEqual({
      event_type: "base-image-moved",
      client_payload: { id: "u/1/2/BaseImageMoved", image: moved.image, digest: moved.digest },
    });
  });
});
