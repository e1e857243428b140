import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where profiles are looked for: the variables that AWS's own tools read. */
export type ProfileEnvironment = Readonly<
  Partial<Record<"AWS_PROFILE" | "AWS_CONFIG_FILE" | "AWS_SHARED_CREDENTIALS_FILE", string>>
>;

/**
 * Answers an error that says so when `AWS_PROFILE` names a profile that nobody wrote down; undefined when it names one that is there, or none.
 * AWS's clients only say that they found no credentials.
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

/** Answers the headings of a file as AWS's clients read them, spaces and all; none of one that can't be read. */
async function sectionsOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split(/\r?\n/).map((line) => line.replace(/\s[;#].*$/, "").trim());
  return lines.flatMap((line) => /^\[(.+)\]$/.exec(line)?.slice(1) ?? []);
}

/** The file of settings has other sections beside: `[profile ana]`, `[sso-session work]`. AWS's clients take no other names than these. */
function profileOf(heading: string): readonly string[] {
  if (heading === "default") return [heading];
  return /^profile\s(["']?)([\w@+.%:/-]+)\1$/.exec(heading)?.slice(2) ?? [];
}
