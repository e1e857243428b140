import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openScratch, type Scratch } from "#test/docs/shell";
import { ownAuthority } from "#test/runtime/own-authority";

const patience = 60_000;
const lookout = `${process.execPath} bin/lookout.js`;
const good = "listen: { address: 127.0.0.1:0, certFile: tls.crt, keyFile: tls.key }\n";

let scratch: Scratch;
beforeAll(() => {
  const { cert, key } = ownAuthority();
  scratch = openScratch({ "lookout.yaml": good, "tls.crt": cert, "tls.key": key });
});
afterAll(() => scratch.close(), patience);

const write = (name: string, content: string): void => {
  writeFileSync(join(scratch.folder, name), content);
};

it(
  "a process with TLS answers the commands of its folder, and tells of files that can't be used",
  async () => {
    const running = scratch.start(`exec ${lookout} start --output json --data state 2>&1`);
    const started = await running.says(/"name":"Started".*\n(?:.*\n)*.*WorkloadTracked/);
    const status = async (): Promise<string> => (await scratch.run(`${lookout} status --data state`)).stdout;
    expect(started).toContain('"url":"https://127.0.0.1:');
    expect(await status()).toContain("5 workloads");

    write("lookout.yaml", `${good}frezes: []\n`);
    await running.says(/lookout\.yaml:2:1 {2}frezes: is not a known key here; did you mean freezes\?/);
    expect((await status()).replaceAll(/\s+/g, " ")).toMatch(
      /✗ lookout\.yaml can't be used since .* so the content of .* stays in force: .*lookout\.yaml:2:1 frezes: is not a known key here/,
    );
    rmSync(join(scratch.folder, "lookout.yaml"));
    await running.says(/lookout\.yaml does not exist/);
    write("lookout.yaml", good.replace(":0,", ":1,"));
    await running.says(/lookout\.yaml is in force; needs a restart: listen/);
    expect(await status()).toContain("! lookout.yaml needs a restart: listen");

    const renewed = ownAuthority();
    write("tls.crt", renewed.cert);
    await running.says(/is not the key of the certificate/);
    const doctor = await scratch.run(`${lookout} doctor --data state`);
    expect([doctor.code, doctor.stdout]).toEqual([
      1,
      expect.stringMatching(/✗ certificate +tls\.key is not the key of/),
    ]);
    write("tls.key", renewed.key);
    write("lookout.yaml", good);
    await running.says(/lookout\.yaml is in force"/);
    const well = await scratch.run(`until ${lookout} doctor --data state; do sleep 0.2; done`);
    expect(well.stdout).toMatch(/✓ certificate +tls\.crt is in force since [^✗]*$/);
    expect(await running.interrupt()).toMatchObject({ code: 0 });
  },
  patience,
);

it(
  "a start with a certificate and no key, or with the key of another, says what to do",
  async () => {
    write("other.key", ownAuthority().key);
    const start = `${lookout} start --data other --listen 127.0.0.1:0 --cert-file tls.crt`;

    expect(await scratch.run(start)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--cert-file needs --key-file too, because HTTPS needs both files") as string,
    });
    expect(await scratch.run(`${start} --key-file other.key`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/other\.key is not the key of the certificate .*tls\.crt/) as string,
    });
  },
  patience,
);
