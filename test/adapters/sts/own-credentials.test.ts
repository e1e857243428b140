import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { noAnswer } from "#adapters/shared/aws-errors";
import { ownCredentials } from "#adapters/sts/own-credentials";
import { useAws } from "../aws-endpoint.ts";

const folder = mkdtempSync(join(tmpdir(), "lookout-profiles-"));
const config = join(folder, "config");
const credentials = join(folder, "credentials");
writeFileSync(
  config,
  [
    "[default]",
    "region = eu-central-1",
    '[profile "on-call"]',
    "region = eu-west-1",
    "[profile ana]",
    "[bert]",
    "[sso-session work]",
    "",
  ].join("\n"),
);
writeFileSync(credentials, "[carla]\naws_access_key_id = AKIDCARLA\naws_secret_access_key = canary\n");
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

/**
 * What is said when the credentials are asked for with a profile of a file of settings; undefined:
 * there are some.
 */
async function saidWith(AWS_PROFILE: string | undefined, AWS_CONFIG_FILE = config): Promise<string | undefined> {
  useAws({
    ...{ AWS_PROFILE, AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE: credentials },
    ...{ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
  });
  return ownCredentials()().then(
    () => undefined,
    (error: unknown) => noAnswer(error, "AWS", "not allowed").text,
  );
}

const none =
  "no AWS credentials were found (CredentialsProviderError); log in to AWS again: aws sts get-caller-identity must answer";
const missing = (profile: string, file = config): string =>
  `AWS_PROFILE names "${profile}", and neither ${file} nor ${credentials} has such a profile; ` +
  "aws configure list-profiles lists the profiles";

describe("your own credentials", () => {
  it.each([
    { because: "a profile that is not there is named", profile: "prodd", says: missing("prodd") },
    { because: "the config file has a section that is no profile", profile: "bert", says: missing("bert") },
    { because: "the profile is a session", profile: "work", says: missing("work") },
    { because: "the profile has no credentials", profile: "ana", says: none },
    { because: "the profile with a quoted name has no credentials", profile: "on-call", says: none },
    { because: "the profile `default` has no credentials", profile: "default", says: none },
    { because: "no profile is named", profile: undefined, says: none },
    { because: "the profile is nothing", profile: "", says: none },
    { because: "the profile has credentials", profile: "carla", says: undefined },
  ])("are missing with a remedy when $because", async ({ profile, says }) => {
    expect(await saidWith(profile)).toBe(says);
  });
});

/**
 * A file of settings whose only section has this heading, and keys. AWS's client keeps what it
 * read: each has a name of its own.
 */
function settingsUnder(heading: string): string {
  const file = join(mkdtempSync(join(folder, "settings-")), "config");
  writeFileSync(file, `${heading}\naws_access_key_id = AKIDDORA\naws_secret_access_key = canary\n`);
  return file;
}

describe("an AWS profile", () => {
  it.each([
    { heading: "[profile dora]", profile: "dora" },
    { heading: "  [profile dora]  ", profile: "dora" },
    { heading: "[profile 'dora'] ; of the team", profile: "dora" },
    { heading: "[profile team/dora@eu]\r", profile: "team/dora@eu" },
    { heading: "[profile default]", profile: "default" },
  ])("exists as AWS's clients read it: $heading", async ({ heading, profile }) => {
    expect(await saidWith(profile, settingsUnder(heading))).toBeUndefined();
  });

  it.each([
    { heading: "[ profile dora ]", profile: "dora" },
    { heading: "[profile  dora]", profile: "dora" },
    { heading: "[profile dora", profile: "dora" },
    { heading: "[profile dora] of the team", profile: "dora" },
    { heading: "# [profile dora]", profile: "dora" },
    { heading: '[profile "dora b"]', profile: "dora b" },
  ])("is missing if AWS's clients do not read it: $heading", async ({ heading, profile }) => {
    const file = settingsUnder(heading);

    expect(await saidWith(profile, file)).toBe(missing(profile, file));
  });
});
