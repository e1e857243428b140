import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import { certificateDoubt, readCertificate } from "#runtime/local/certificate";
import { reloadedCertificate } from "#runtime/local/reloaded-certificate";
import { type OwnAuthority, ownAuthority } from "#test/runtime/own-authority";

let folder: string;
const first: OwnAuthority = ownAuthority();
const second: OwnAuthority = ownAuthority();
const at = (name: string): string => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lookout-certificate-"));
  for (const [name, content] of Object.entries({ cert: first.cert, key: first.key, otherKey: second.key, empty: "" }))
    writeFileSync(at(name), content);
  execFileSync("openssl", ["ec", "-in", at("key"), "-aes256", "-passout", "pass:x", "-out", at("locked")], {
    stdio: "ignore",
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("a pair that TLS can't use is refused with its file and what to do", () => {
  it.each([
    ["missing", "key", "the certificate AT/missing does not exist: name a readable file in PEM under listen"],
    ["cert", "missing", "the private key AT/missing does not exist: name a readable file in PEM under listen"],
    [".", "key", "the certificate AT can't be read (EISDIR)"],
    ["empty", "key", "AT/empty has no certificate in PEM"],
    ["key", "key", "AT/key has no certificate in PEM"],
    ["cert", "cert", "AT/cert has no private key in PEM without a password"],
    ["cert", "locked", "AT/locked has no private key in PEM without a password"],
    ["cert", "otherKey", "AT/otherKey is not the key of the certificate AT/cert: put the pair of one issue"],
  ])("%s and %s", async (cert, key, problem) => {
    const read = readCertificate({ certFile: at(cert), keyFile: at(key) });
    const { message } = (await read.catch((error: unknown) => error)) as Error;

    expect(message.replaceAll(folder, "AT")).toContain(problem);
  });
});

it("an expired certificate, and one of the future, are told and used", async () => {
  const certificate = await readCertificate({ certFile: at("cert"), keyFile: at("key") });
  const { validFrom, expiresAt } = certificate;

  expect(
    [validFrom - 1, validFrom, expiresAt - 1, expiresAt].map((now) => certificateDoubt(certificate, epochMs(now))),
  ).toEqual([
    expect.stringContaining("it is valid only from"),
    undefined,
    undefined,
    expect.stringContaining("it expired at"),
  ]);
});

it("a certificate follows its files through swapped links, and a broken pair leaves the former in force", async () => {
  const files = { certFile: at("tls.crt"), keyFile: at("tls.key") };
  const swap = (name: string, cert: string, key: string): void => {
    mkdirSync(at(`..${name}`));
    writeFileSync(at(`..${name}/tls.crt`), cert);
    writeFileSync(at(`..${name}/tls.key`), key);
    symlinkSync(`..${name}`, at("..tmp"));
    renameSync(at("..tmp"), at("..data"));
  };
  swap("1", first.cert, first.key);
  for (const name of ["tls.crt", "tls.key"]) symlinkSync(`..data/${name}`, at(name));
  let now = Date.now();
  const [used, notices]: [string[], string[]] = [[], []];
  const { look, outcome } = await reloadedCertificate({
    ...{ files, clock: { now: () => epochMs(now) }, notice: (text) => notices.push(text) },
    use: async ({ cert }) => void used.push(cert),
  });
  const looks = async (): Promise<void> => {
    await look();
    await look();
    now += 1_000;
  };
  const started = outcome();

  await looks();
  swap("2", second.cert, first.key);
  await looks();
  const broken = outcome();
  await looks();
  swap("3", second.cert, second.key);
  await looks();

  expect(used).toEqual([second.cert]);
  expect(broken).toEqual({
    ...started,
    failure: { at: started.loadedAt + 1_000, detail: expect.any(String) as string },
  });
  expect(outcome()).toMatchObject({ part: "certificate", loadedAt: started.loadedAt + 3_000 });
  expect(outcome().failure).toBeUndefined();
  expect(notices).toEqual([
    expect.stringMatching(/is not the key of the certificate .* The former certificate stays in force$/),
  ]);
});
