import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** The environment variables that locate profiles. */
export type ProfileEnvironment = Readonly<
  Partial<Record<"AWS_PROFILE" | "AWS_CONFIG_FILE" | "AWS_SHARED_CREDENTIALS_FILE", string>>
>;

/**
 * Returns an error if `AWS_PROFILE` names a profile that no file defines, else undefined. The SDK
 * itself only reports that it found no credentials.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
export async function unknownProfile(environment: ProfileEnvironment): Promise<Error | undefined> {
  const { AWS_PROFILE: wanted = "" } = environment;
  if (wanted === "") return undefined;
  const config = environment.AWS_CONFIG_FILE ?? join(homedir(), ".aws", "config");
  const credentials = environment.AWS_SHARED_CREDENTIALS_FILE ?? join(homedir(), ".aws", "credentials");
  const known = [...(await sectionsOf(config)).flatMap(profileOf), ...(await sectionsOf(credentials))];
  if (known.includes(wanted)) return undefined;
  const error = new Error(`AWS_PROFILE names "${wanted}", and neither ${config} nor ${credentials} has such a profile`);
  error.name = "UnknownProfile";
  return error;
}

/**
 * Returns the section names of a file, as AWS's clients read them. An unreadable file has no
 * sections.
 */
async function sectionsOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split(/\r?\n/).map((line) => line.replace(/\s[;#].*$/, "").trim());
  return lines.flatMap((line) => /^\[(.+)\]$/.exec(line)?.slice(1) ?? []);
}

/**
 * Returns the profile that a heading names. The configuration file also has other sections, such as
 * `[sso-session work]`.
 */
function profileOf(heading: string): readonly string[] {
  if (heading === "default") return [heading];
  return /^profile\s(["']?)([\w@+.%:/-]+)\1$/.exec(heading)?.slice(2) ?? [];
}
