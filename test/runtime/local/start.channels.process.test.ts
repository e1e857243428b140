import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openScratch, type Ran, type Scratch } from "#test/docs/shell";
import { webhookStandIn, type WebhookStandIn } from "#test/channels/stand-ins/webhook";

const patience = 120_000;
const lookout = `${process.execPath} bin/lookout.js`;
/** A key, and a text that is none. Neither may ever be shown. */
const canary = Buffer.from("a canary that nobody may see").toString("base64");
const wrong = "whsec_canary-without-base64";

let scratch: Scratch;
let receiver: WebhookStandIn;
beforeAll(async () => {
  receiver = await webhookStandIn({ secret: `whsec_${canary}` });
  const entry = `kind: webhook, address: "${receiver.url}/hook", allowNetworks: [127.0.0.0/8]`;
  scratch = openScratch({
    "lookout.yaml": [
      "listen: 127.0.0.1:0",
      "channels:",
      `  - { name: good, ${entry}, secretEnv: HOOK }`,
      `  - { name: wrong, ${entry}, secretFile: wrong-key }`,
      `  - { name: other, ${entry}, secretFile: other-key }`,
      `  - { name: unset, ${entry}, secretEnv: NOWHERE }`,
      `  - { name: placeless, ${entry} }`,
      '  - { name: away, kind: webhook, address: "https://127.0.0.1:1/", allowNetworks: [127.0.0.0/8], secretEnv: HOOK }',
      '  - { name: private, kind: webhook, address: "https://10.0.0.1/", secretEnv: HOOK }',
      "",
    ].join("\n"),
  });
  writeFileSync(join(scratch.folder, "wrong-key"), wrong);
  // The receiver refuses its signatures.
  writeFileSync(
    join(scratch.folder, "other-key"),
    `whsec_${Buffer.from(`${canary}${canary}`.slice(0, 48)).toString("base64")}`,
  );
});
afterAll(async () => {
  await scratch.close();
  await receiver[Symbol.asyncDispose]();
}, patience);

it(
  "a process starts without the secrets of its channels, tells the others, and shows no secret anywhere",
  async () => {
    const environment = { HOOK: `whsec_${canary}` };
    const running = scratch.start(`exec ${lookout} start --output json --data state 2>&1`, environment);
    const started = await running.says(/"name":"Started"/);
    expect(started).toMatch(/channel unset: the variable NOWHERE is not set\. The other channels start/);
    expect(started).toMatch(/channel wrong: the secret is not whsec_/);
    expect(started).toMatch(/channel placeless: its secret has no place/);
    await running.says(/WorkloadTracked/);
    const run = (typed: string): Promise<Ran> => scratch.run(`${lookout} ${typed} --data state`, environment);
    const names = ["good", "wrong", "other", "unset", "placeless", "away", "private"];
    const tests = new Map<string, Ran>();
    for (const name of names) tests.set(name, await run(`channel test ${name}`));
    const pushed = await run("push shop/api:1.3.0");
    for (
      let tries = 0;
      tries < 100 && !receiver.events.some(({ event }) => /RolloutSucceeded/.test(String(event["type"])));
      tries++
    )
      await new Promise((resolve) => setTimeout(resolve, 200));
    const list = await run("channel list");
    const doctor = await run("doctor");
    const others = await Promise.all(
      [
        "channel list -o json",
        "doctor -o json",
        "config",
        "channel explain wrong RolledBack",
        "explain shop/api",
        "history shop/api",
        "export",
      ].map(run),
    );
    const check = await scratch.run(`${lookout} config check`, environment);
    const ended = await running.interrupt();
    const all = [...tests.values(), pushed, list, doctor, ...others, check, ended];

    expect(Object.fromEntries([...tests].map(([name, { code }]) => [name, code]))).toEqual({
      ...{ good: 0, wrong: 1, other: 1, unset: 1, placeless: 1, away: 1, private: 1 },
    });
    expect(receiver.events.map(({ event }) => event["type"])).toEqual(
      expect.arrayContaining(["dev.lookout.ChannelTested", "dev.lookout.RolloutSucceeded"]) as string[],
    );
    expect(list.code).toBe(1);
    expect(list.stdout).toMatch(/^good +webhook +well/m);
    expect(list.stdout).toMatch(/^other +webhook +✗ off/m);
    expect(list.stdout).toMatch(/✗ unset: the variable NOWHERE is not set\. .*Try it: lookout channel test unset/);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/✓ channel good +it told something at/);
    expect(doctor.stdout).toMatch(/✗ channel wrong +it is unusable: the secret is not whsec_/);
    expect(check).toMatchObject({ code: 0, stdout: expect.stringMatching(/! channel wrong: the secret/) as string });
    const texts = all.map(({ stdout, stderr }) => `${stdout}${stderr}`);
    expect(
      texts.filter((text) => [canary, canary.slice(0, 12), wrong, "canary"].some((one) => text.includes(one))),
    ).toEqual([]);
  },
  patience,
);
