import { httpPost } from "#adapters/http-post/post";
import { signedPost } from "#adapters/signature-v4/signed-post";
import type { Tools } from "#channels/kind";
import { reasons } from "#domain/shared/reasons";
import { epochMs } from "#domain/shared/time";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { Fact } from "#domain/update/events";
import type { ImageChange } from "#domain/workload/patch";
import type { AwsKey } from "./stand-ins/aws-signature.ts";

/** The networks of the stand-ins. */
export const allowNetworks = ["127.0.0.0/8"];

/** Returns the tools of a channel of the installation `abc123`, which really send. */
export function toolsWith(
  secret: string,
  aws?: { readonly url: string; readonly key: AwsKey },
  timeoutMs = 10_000,
): Tools {
  const post = httpPost({ isServerless: false, timeoutMs });
  const credentials = () => Promise.resolve(aws?.key ?? { accessKeyId: "", secretAccessKey: "" });
  const postToAws = signedPost(credentials, (request) => post({ ...request, allowNetworks }), aws?.url);
  return { secret, post, postToAws, installation: "abc123" };
}

/** A text that mentions people, links, breaks markup, hides characters and is cut in a pair of surrogates. */
export const hostile =
  "<!channel> <@U123> @here @everyone <https://evil.test|x> [x](javascript:alert(1)) https://evil.test www.evil.test ``` *b* _i_ ~s~ \u0007\u202e\r\n> q \ud83d";

export const digests = { old: `sha256:${"0".repeat(64)}`, next: `sha256:${"1".repeat(64)}` };

/** The change of the container `app` from 1.0.0 to 1.1.0. */
export const change: ImageChange = {
  list: "containers",
  name: "app",
  imageName: "registry.test/shop/api",
  tag: "1.1.0",
  digest: digests.next,
  apply: "tag",
  from: "registry.test/shop/api:1.0.0",
  to: "registry.test/shop/api:1.1.0",
  policy: "semver any",
};

export const failure: WaitReason = { reason: "rollout-failed", detail: "ImagePullBackOff in pod api-7" };

/** What users are told of that failure. */
export const failureText = reasons["rollout-failed"];

/** The fact that the update of `prod/shop/deployment/api` was rolled back. */
export const rolledBack: Fact = {
  name: "RolledBack",
  id: "uid-1/4/9/RolledBack",
  workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
  uid: "uid-1",
  seq: 4,
  version: 9,
  at: epochMs(Date.parse("2026-11-28T01:00:00Z")),
  correlationId: "push-1",
  changes: [change],
  reasons: [failure],
};

/** The largest fact that a cluster can lead to, and beyond it. */
export const huge: Fact = {
  ...rolledBack,
  detail: "d".repeat(1_000_000),
  changes: Array.from({ length: 200 }, (_, index) => ({
    ...change,
    name: `container-${index}`,
    offers: ["linux/amd64"],
  })),
  reasons: Array.from({ length: 100 }, () => ({ ...failure, detail: "ü".repeat(10_000) })),
};
