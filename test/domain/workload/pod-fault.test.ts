import { describe, expect, it } from "vitest";
import { faultOf, faultyHealth, type FaultKind, worstFault } from "#domain/workload/pod-fault";
import { aPatched } from "../builders.ts";

const image = "docker.io/shop/app:1.1.0";
const containerd = (answer: string): string =>
  `rpc error: code = Unknown desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${answer}`;
const limit = { kind: "limited", answer: "the registry limits pulls (429)" };
const denial = { kind: "lasting", answer: "the registry denies the pull" };
const absent = { kind: "final", answer: "the registry has no such image" };
const otherPlatform = { kind: "final", answer: "the image does not exist for the node's platform" };

describe("a pull that failed", () => {
  it.each([
    ["toomanyrequests: You have reached your pull rate limit.", limit],
    ["unexpected status code https://r.test/v2/shop/app/manifests/1.1.0: 429 Too Many Requests", limit],
    ["TOOMANYREQUESTS: request quota", limit],
    ["unexpected status code [manifests 1.1.0]: status: 429", limit],
    ["denied: rate limit exceeded", limit],
    ["toomanyrequests: Rate exceeded", limit],
    ["ThrottlingException: wait", limit],
    ["pull access denied, repository does not exist or may require authorization: authorization failed", denial],
    ["unexpected status from HEAD request to https://r.test/v2/: 403 Forbidden", denial],
    ["failed to authorize: failed to fetch anonymous token: 401 Unauthorized", denial],
    ["requested access to the resource is denied", denial],
    ["no basic auth credentials", denial],
    ["authentication required", denial],
    ["docker.io/shop/app:1.1.0: not found", absent],
    ["manifest for app:1.1.0 not found: manifest unknown: manifest unknown", absent],
    ["name unknown: The repository with name 'app' does not exist in the registry with id '1'", absent],
    ["reading manifest 1.1.0 in docker.io/shop/app: manifest unknown", absent],
    ["repository name not known to registry", absent],
    ["repository shop does not exist", absent],
    ["no match for platform in manifest: not found", otherPlatform],
    ["no matching manifest for linux/arm64/v8 in the manifest list entries", otherPlatform],
    ["dial tcp: lookup r.test: no such host", { kind: "lasting" }],
    ["dial tcp 10.0.0.1:443: i/o timeout", { kind: "lasting" }],
    ["x509: certificate signed by unknown authority", { kind: "lasting" }],
    ["error getting credentials: executable file not found in $PATH", { kind: "lasting" }],
    ["credentials not found in native keychain", { kind: "lasting" }],
    ["host not found", { kind: "lasting" }],
  ])("with the answer %s is %o", (answer, fault) => {
    expect(faultOf({ reason: "ErrImagePull", message: containerd(answer) })).toEqual(fault);
    expect(faultOf({ reason: "ImagePullBackOff", message: `Back-off pulling image "${image}": ${answer}` })).toEqual(
      fault,
    );
  });

  it("is final when the runtime says so with a code alone", () => {
    expect(faultOf({ reason: "ErrImagePull", message: "rpc error: code = NotFound desc = failed" })).toEqual(absent);
  });

  it.each([`Back-off pulling image "${image}"`, "Back-off pulling image", "", undefined])(
    "is not explained by %s",
    (message) => {
      expect(faultOf({ reason: "ImagePullBackOff", message })).toEqual({ kind: "backing-off" });
    },
  );

  it.each([
    "registry.test/toomanyrequests/not-found:1.0.0",
    "registry.test/shop/app:rate-limit-429",
    "registry.test/shop/denied:unauthorized",
  ])("is not judged by the words in its image's name: %s", (name) => {
    const message = `failed to pull "${name}": ${name}: connection reset`;

    expect(faultOf({ reason: "ErrImagePull", message })).toEqual({ kind: "lasting" });
  });

  it("with an endless message is judged by its beginning", () => {
    const message = `${"x".repeat(5_000)} toomanyrequests`;

    expect(faultOf({ reason: "ErrImagePull", message })).toEqual({ kind: "lasting" });
    expect(faultOf({ reason: "ErrImagePull", message: `toomanyrequests ${message}` })).toEqual(limit);
  });
});

describe("a container that waits", () => {
  it.each<[string, FaultKind]>([
    ["InvalidImageName", "final"],
    ["ErrImageNeverPull", "lasting"],
    ["ImageInspectError", "lasting"],
    ["SignatureValidationFailed", "lasting"],
    ["CreateContainerConfigError", "lasting"],
    ["CreateContainerError", "lasting"],
    ["RunContainerError", "lasting"],
    ["CrashLoopBackOff", "crash-loop"],
  ])("for %s has a fault that is %s", (reason, kind) => {
    expect(faultOf({ reason, message: "secret not found" })).toEqual({ kind });
  });

  it.each(["ContainerCreating", "PodInitializing", "constructor", ""])("for %s has no fault", (reason) => {
    expect(faultOf({ reason, message: "not found" })).toBeUndefined();
  });

  it("is judged by the registry when it is unavailable", () => {
    expect(faultOf({ reason: "RegistryUnavailable", message: "429 Too Many Requests" })).toEqual(limit);
  });
});

describe("several faults", () => {
  it("count in the order of what they prove about the image", () => {
    const kinds: readonly FaultKind[] = [
      "backing-off",
      "limited",
      "webhook",
      "quota",
      "lasting",
      "crash-loop",
      "final",
      "denied",
    ];
    const worst = kinds.map((_, count) =>
      worstFault(kinds.slice(0, count + 1).map((kind) => ({ kind, detail: kind }))),
    );

    expect(worst.map((fault) => fault?.kind)).toEqual(kinds);
    expect(worstFault([])).toBeUndefined();
  });

  it("name the containers with the fault that counts", () => {
    const fault = (kind: FaultKind, ...containers: readonly string[]) => ({
      kind,
      detail: containers[0] ?? "",
      containers,
    });

    expect(
      worstFault([
        fault("lasting", "a"),
        fault("final", "c"),
        fault("final", "b"),
        fault("final", "c"),
        fault("limited"),
      ]),
    ).toEqual({ kind: "final", detail: "c", containers: ["b", "c"] });
    expect(worstFault([{ kind: "quota", detail: "q" }])).toEqual({ kind: "quota", detail: "q" });
  });
});

describe("a rollout with a fault", () => {
  const live = aPatched();
  const failed = { kind: "failed", live, detail: "why" };
  const progressing = (fault: string, ready: number) => ({
    kind: "progressing",
    live,
    ready,
    wanted: 3,
    detail: "why",
    fault,
  });

  it.each<[FaultKind, number, boolean, object]>([
    ["final", 2, false, failed],
    ["crash-loop", 0, false, { ...failed, crashes: true }],
    ["crash-loop", 1, false, { ...progressing("lasting", 1), crashes: true }],
    ["crash-loop", 1, true, { ...failed, crashes: true }],
    ["lasting", 0, false, progressing("lasting", 0)],
    ["lasting", 0, true, failed],
    ["backing-off", 0, true, progressing("backing-off", 0)],
    ["limited", 0, true, progressing("limited", 0)],
    ["quota", 0, true, progressing("quota", 0)],
    ["webhook", 2, true, progressing("webhook", 2)],
    ["denied", 2, false, { ...failed, isDenied: true }],
  ])("that is %s, with %i ready pods, given up by Kubernetes: %s", (kind, ready, isOverdue, health) => {
    expect(faultyHealth({ kind, detail: "why" }, { live, ready, wanted: 3 }, isOverdue)).toEqual(health);
  });

  it("is not given up unless it is said", () => {
    expect(faultyHealth({ kind: "lasting", detail: "why" }, { live, ready: 0, wanted: 3 })).toEqual(
      progressing("lasting", 0),
    );
  });
});
