import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { receiverKind } from "#contracts/config/receiver-kinds";
import type { Invocation } from "#runtime/handler";
import { onNotification } from "#runtime/request";
import { allKinds, entryOf, secretOf } from "#test/adapters/webhook/notifications";
import { stoppedClock } from "#test/stopped-clock";
import { onStack, stackXml } from "../aws.ts";
import { lookout, type Surroundings } from "../world.ts";

const folder = mkdtempSync(join(tmpdir(), "lookout-url-"));
const variables = Object.fromEntries(
  allKinds.map((kind) => [variableOf(kind), `${secretOf(kind, "current $HOME 'it' \"&+")}\n${secretOf(kind, "next")}`]),
);
let close: () => void;
let server: string;

function variableOf(kind: string): string {
  return `SECRET_OF_${kind.replaceAll("-", "_").toUpperCase()}`;
}

function yamlOf(receivers: readonly object[]): string {
  return JSON.stringify({ receivers });
}

beforeAll(async () => {
  const receivers = pushReceivers(
    allKinds.map((kind) => entryOf(kind, kind, variables[variableOf(kind)])),
    stoppedClock,
  );
  const notified = onNotification(async () => {
    throw new Error("a trial is no push");
  });
  const invocation = {
    receivers,
    ports: { metrics: { add: () => undefined } },
    log: { outcome: () => undefined, failure: () => undefined },
  } as unknown as Invocation;
  const http = createAdaptorServer({ fetch: (request) => notified(request, invocation) });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  server = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  close = () => http.close();
  const all = allKinds.map((kind) => ({
    ...{ name: kind, kind, secretEnv: variableOf(kind) },
    ...(receiverKind(kind).namesRegistry === "always" ? {} : { registry: "registry.example.com" }),
  }));
  writeFileSync(join(folder, "lookout.yaml"), yamlOf(all));
});
afterAll(() => {
  close();
  rmSync(folder, { recursive: true });
});

const url = (typed: readonly string[], { environment = {}, ...others }: Surroundings = {}) =>
  lookout(["webhook", "url", ...typed], {}, { cwd: folder, environment: { ...variables, ...environment }, ...others });

/** Runs commands as a user does who pastes them. */
function inShell(commands: string, environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...environment };
    execFile("sh", ["-c", commands], { env }, (_, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}

describe("lookout webhook url", () => {
  it.each(allKinds)(
    "prints a command that proves the secret of a receiver of %s, and shows no secret",
    async (kind) => {
      const { stdout, exitCode } = await url([kind, "--server", server, "-o", "json"]);
      const shown = JSON.parse(stdout) as { readonly command: string; readonly url: string; readonly setting: string };
      const wrong = { [variableOf(kind)]: secretOf(kind, "wrong") };

      expect(exitCode).toBe(0);
      expect(shown.url).toBe(`${server}/webhooks/${kind}`);
      expect(shown.setting).toBe(receiverKind(kind).setting);
      expect(stdout).not.toContain("secret-of");
      expect(await inShell(shown.command, variables)).toMatch(/^\{"ignored":"/);
      expect(await inShell(shown.command, wrong)).toContain('"code":"unauthorized"');
    },
  );

  it("shows the places of the URL and the secret", async () => {
    const { stdout } = await url(["ghcr", "--server", server]);

    expect(stdout).toBe(
      [
        `Lookout at ${server}, named by --server`,
        "",
        `URL      ${server}/webhooks/ghcr`,
        "Sender   GitHub's container registry",
        "Setting  Settings → Webhooks: URL and Secret, content type application/json, events Packages and Registry packages",
        "Proof    the header X-Hub-Signature-256: sha256=the HMAC of the body with sha256, in hexadecimal",
        "Secret   the variable SECRET_OF_GHCR",
        "",
        "Test command. With a valid proof, Lookout answers 202 and updates nothing:",
        "",
        "  secret=$(printf '%s\\n' \"$SECRET_OF_GHCR\" | head -n 1)",
        "  body='{}'",
        "  proof=$(printf '%s' \"$body\" | openssl dgst -sha256 -hmac \"$secret\" -r | cut -d' ' -f1)",
        "  curl --silent --show-error --fail-with-body --header 'Content-Type: application/json' --header 'X-GitHub-Event: ping' " +
          `--header "X-Hub-Signature-256: sha256=$proof" --data "$body" '${server}/webhooks/ghcr'`,
        "",
      ].join("\n"),
    );
  });

  it("shows the URL of a start here without a process, and only the URL with -o name", async () => {
    const environment = { LOOKOUT_SERVER: "", LOOKOUT_STACK: "" };

    expect((await url(["quay"], { environment })).stdout).toContain(
      "No Lookout runs in this directory. lookout start in this directory listens at this URL.",
    );
    expect((await url(["quay", "-o", "name"], { environment })).stdout).toBe("http://127.0.0.1:4040/webhooks/quay\n");
  });

  it("shows the receivers of LOOKOUT_WEBHOOK_SECRET", async () => {
    const environment = { LOOKOUT_WEBHOOK_SECRET: "a-secret-of-a-variable" };
    const { stdout } = await url(["generic", "-o", "json"], { cwd: tmpdir(), environment });

    expect(stdout).toContain("the variable LOOKOUT_WEBHOOK_SECRET");
    expect(stdout).not.toContain("a-secret-of-a-variable");
  });

  it("reads another file with files, tokens, and secrets in AWS", async () => {
    const file = join(folder, "other.yaml");
    const tokens = { audience: "lookout", email: "push@my-project.iam.gserviceaccount.com" };
    const issuer = {
      issuers: ["https://token.actions.githubusercontent.com"],
      keys: "https://token.actions.githubusercontent.com/.well-known/jwks",
    };
    const receivers = [
      { name: "filed", kind: "quay", secretFile: "it's/quay" },
      { name: "ssm", kind: "quay", secretParameter: "/lookout/quay" },
      { name: "managed", kind: "quay", secretId: "lookout/quay" },
      { name: "google", kind: "gcr-gar", tokens },
      {
        name: "github",
        kind: "generic",
        tokens: { audience: "lookout", subject: "repo:org/app:ref:refs/heads/main", ...issuer },
      },
      {
        name: "own",
        kind: "acr",
        secretEnv: "A",
        authentication: { scheme: "hmac", header: "X-Own", algorithms: ["sha512"] },
      },
    ];
    writeFileSync(file, yamlOf(receivers));
    const firstLine = async (name: string): Promise<string> => {
      const { stdout } = await url([name, "--config", file, "-o", "json"]);
      const { command, proof } = JSON.parse(stdout) as { readonly command: string; readonly proof: string };
      return `${command.split("\n")[0] ?? ""} | ${proof}`;
    };

    expect(await Promise.all(receivers.map(({ name }) => firstLine(name)))).toEqual([
      `secret=$(cat '${folder}/it'\\''s/quay' | head -n 1) | ?secret= in the URL: the secret`,
      "secret=$(aws ssm get-parameter --with-decryption --name '/lookout/quay' --query Parameter.Value --output text | head -n 1) | ?secret= in the URL: the secret",
      "secret=$(aws secretsmanager get-secret-value --secret-id 'lookout/quay' --query SecretString --output text | head -n 1) | ?secret= in the URL: the secret",
      "token=$(gcloud auth print-identity-token --include-email --impersonate-service-account='push@my-project.iam.gserviceaccount.com' --audiences='lookout') | " +
        "Authorization: Bearer and a token of https://accounts.google.com or accounts.google.com, for lookout, of push@my-project.iam.gserviceaccount.com",
      "token=$TOKEN   # of https://token.actions.githubusercontent.com, for lookout | " +
        "Authorization: Bearer and a token of https://token.actions.githubusercontent.com, for lookout, of repo:org/app:ref:refs/heads/main",
      "secret=$(printf '%s\\n' \"$A\" | head -n 1) | the header X-Own: sha512=the HMAC of the body with sha512, in hexadecimal",
    ]);
  });

  it("lists the known receivers for an unknown name", async () => {
    const { stderr, exitCode } = await url(["gchr"]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('lookout.yaml has no receiver "gchr".');
    expect(stderr).toContain("Did you mean ghcr?");
  });

  it("shows the URL and the secret's place of a stack, without reading the secret", async () => {
    const outputs = {
      LookoutApiUrl: "https://api.example.com",
      LookoutWebhookUrl: "https://api.example.com/webhooks/",
      LookoutReceiverSecrets: JSON.stringify([{ receiver: "ghcr", place: { parameter: "/lookout/receivers/ghcr" } }]),
    };
    const file = join(folder, "lookout.yaml");
    const ask = (name: string) =>
      onStack(["webhook", "url", name, "--config", file, "--stack", "lookout", "-o", "json"], {
        DescribeStacks: { body: stackXml(outputs) },
      });
    const { stdout, aws } = await ask("ghcr");

    expect(JSON.parse(stdout)).toMatchObject({
      url: "https://api.example.com/webhooks/ghcr",
      secret: "the parameter /lookout/receivers/ghcr of SSM",
      command: expect.stringContaining(
        "aws ssm get-parameter --region eu-central-1 --with-decryption --name '/lookout/receivers/ghcr'",
      ) as string,
    });
    expect(new Set(aws.asked.map(({ operation }) => operation))).toEqual(new Set(["DescribeStacks"]));
    expect((await ask("quay")).stderr).toContain("The stack lookout was deployed without the receiver quay.");
  });
});
