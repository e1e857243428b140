import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionName, type Route, routes } from "#contracts/routes";
import { bundleFunctions } from "../../../lib/functions/bundle.ts";
import { closureOf } from "#test/lib/closure";

const root = resolve(import.meta.dirname, "..", "..", "..");
const kibibytes = 1_024;

let folder: string;
let built: Metafile;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lookout-bundle-"));
  built = await bundleFunctions(folder);
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/**
 * Returns the size limit of a function, compressed. The limit notices a dependency that came along
 * by accident, and has room for many small changes.
 */
function budgetOf({ stage, name, reaches }: Route): number {
  if (stage === "detect" && name === "registry-webhook") return 112 * kibibytes;
  // The client library of Kubernetes brings undici.
  return (reaches.includes("clusters") ? 800 : 256) * kibibytes;
}

/** Answers what must not be in a function, because its route does not call for it. */
function barredFrom({ emits, reaches, trigger }: Route): readonly string[] {
  const reach = (what: Route["reaches"][number]): boolean => reaches.includes(what);
  const isEvent = (name: Route["emits"][number]): boolean => name === "ImagePushed" || name === "facts";
  const sends = !emits.every(isEvent);
  const hasMessages = trigger.kind !== "http" && trigger.kind !== "schedule";
  return [
    ...[
      "node_modules/aws-cdk",
      "node_modules/constructs",
      "node_modules/esbuild",
      "node_modules/commander",
      "lib/",
      "cli/",
      "test/",
    ],
    ...["src/adapters/memory/", "src/runtime/local/", "node_modules/@hono/node-server"],
    // The kubeconfig of the client library, and logins that only people have.
    ...["node_modules/@kubernetes/client-node/dist/config", "node_modules/openid-client/", "node_modules/js-yaml/"],
    "node_modules/@kubernetes/client-node/dist/gen/apis/RbacAuthorizationV1Api.js",
    // Loaded by the first image that needs it.
    ...["src/adapters/oci/registry.ts", "src/adapters/ecr/registry.ts", "node_modules/@aws-sdk/client-ecr/"],
    ...(reach("table") || reach("table-read") || reach("ledger") || reach("told")
      ? []
      : ["src/adapters/dynamodb/", "node_modules/@aws-sdk/client-dynamodb/", "node_modules/@aws-sdk/lib-dynamodb/"]),
    ...(reach("clusters")
      ? []
      : [
          "src/adapters/kubernetes/",
          "node_modules/@kubernetes/",
          "node_modules/undici/",
          "node_modules/@aws-sdk/client-eks/",
        ]),
    ...(reach("registries") ? [] : ["src/adapters/oci/"]),
    ...(reach("receivers") ? [] : ["src/adapters/webhook/"]),
    ...(emits.some(isEvent) ? [] : ["node_modules/@aws-sdk/client-eventbridge/"]),
    ...(sends ? [] : ["node_modules/@aws-sdk/client-scheduler/"]),
    ...(sends || hasMessages ? [] : ["node_modules/@aws-sdk/client-sqs/"]),
    ...(trigger.kind === "http" ? [] : ["node_modules/hono/"]),
  ];
}

describe.each((routes as readonly Route[]).map((route) => ({ name: functionName(route), route })))(
  "the code that $name loads at its start",
  ({ name, route }) => {
    it("is within its budget", () => {
      const { gzipBytes } = closureOf(name, built, root);

      expect(gzipBytes, "if no dependency came along, raise the limit of budgetOf()").toBeLessThanOrEqual(
        budgetOf(route),
      );
    });

    it("has only what its route needs", () => {
      const { modules } = closureOf(name, built, root);
      const barred = barredFrom(route);

      expect(modules.filter((module) => barred.some((prefix) => module.startsWith(prefix)))).toEqual([]);
    });

    it("is a handler that Node runs from that folder alone, and that reports a missing environment", () => {
      const file = join(folder, `${name}.mjs`);
      const { later } = closureOf(name, built, root);
      const text = `
        const { handler } = await import(${JSON.stringify(file)});
        const context = { awsRequestId: "r", getRemainingTimeInMillis: () => 10_000 };
        const event = { Records: [], requestContext: { http: {} } };
        await handler(event, context).catch((error) => console.log(error.message));
        for (const file of ${JSON.stringify(later)}) await import(file);`;
      const environment = { PATH: process.env.PATH, AWS_REGION: "eu-central-1" };

      const output = execFileSync(process.execPath, ["--input-type=module", "-e", text], {
        ...{ cwd: folder, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
      });

      expect(output).toContain(`${name} failed; the log of request r has the error`);
    }, 30_000);
  },
);

describe("the folder of all functions", () => {
  it("has no path of the machine in it", () => {
    const paths = Object.keys(built.inputs).filter((path) => relative(root, resolve(root, path)).startsWith(".."));

    expect(paths.filter((path) => !path.includes("node_modules"))).toEqual([]);
  });
});
