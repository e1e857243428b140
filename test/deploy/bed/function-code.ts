import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import { requestSigner } from "#adapters/signature-v4/signer";
import { functionName, routes } from "#contracts/routes";
import { epochMs } from "#domain/shared/time";
import { bundling, entryOf } from "#lib/functions/bundle";
import { type LaterVersion, laterVersion } from "#test/next-form/versions";
import { account, type Emulator, region } from "./emulator.ts";

/** A version of the functions: the deployed one, or a later one. */
export type Version = "today" | LaterVersion;

/** The code of the deployed functions. */
export interface FunctionCode {
  /** Replaces the code of one function after the other, as CloudFormation does. */
  replace(version: Version): Promise<void>;
}

const root = resolve(import.meta.dirname, "../../..");
/** The bucket of `cdk bootstrap`. */
const bucket = `cdk-hnb659fds-assets-${account}-${region}`;
const archives: Readonly<Record<Version, string>> = {
  today: "today.zip",
  reader: "reader.zip",
  writer: "writer.zip",
};

interface DeployedFunction {
  readonly FunctionName: string;
  readonly CodeSha256: string;
}

/** The later versions of the functions, built into a folder. */
export interface LaterVersions {
  /** Uploads the deployed version and the later ones, all with the deployed configuration. */
  codeOf(emulator: Emulator): Promise<FunctionCode>;
  /** Deletes the folder. */
  remove(): Promise<void>;
}

const laterVersions = ["reader", "writer"] as const satisfies readonly LaterVersion[];

/** Builds the later versions. */
export async function buildLaterVersions(): Promise<LaterVersions> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-versions-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    for (const version of laterVersions) await buildVersion(version, join(folder, version));
  } catch (error) {
    await remove();
    throw error;
  }
  return { codeOf: (emulator) => upload(folder, requests(emulator)), remove };
}

async function upload(folder: string, aws: Requests): Promise<FunctionCode> {
  const names = await lookoutFunctions(aws);
  const today = join(folder, archives.today);
  await writeFile(today, await aws.deployedCode(names[0] ?? ""));
  await zip("-e", today, join(folder, "today"));
  for (const version of laterVersions) {
    const built = join(folder, version);
    await copyFile(join(folder, "today/configuration.json"), join(built, "configuration.json"));
    await zip("-c", join(folder, archives[version]), `${built}/.`);
  }
  for (const archive of Object.values(archives)) await aws.store(archive, await readFile(join(folder, archive)));
  return {
    async replace(version) {
      for (const name of names) await aws.replaceCode(name, archives[version]);
    },
  };
}

/** Builds all functions at once. Their shared chunks are larger than those of a deployment, and built sooner. */
async function buildVersion(version: LaterVersion, outdir: string): Promise<void> {
  const entries: Plugin = {
    name: "functions",
    setup(build) {
      const namespace = "function";
      build.onResolve({ filter: /^function:/ }, ({ path }) => ({ path: path.replace("function:", ""), namespace }));
      build.onLoad({ filter: /./, namespace }, ({ path }) => {
        const route = routes.find((one) => functionName(one) === path);
        return route && { contents: entryOf(route), resolveDir: root };
      });
    },
  };
  await build({
    ...{ absWorkingDir: root, outdir, plugins: [entries, laterVersion(version)], ...bundling },
    entryPoints: routes.map((route) => ({ in: `function:${functionName(route)}`, out: functionName(route) })),
  });
}

async function zip(...words: readonly string[]): Promise<void> {
  await promisify(execFile)("python3", ["-m", "zipfile", ...words]);
}

type Requests = ReturnType<typeof requests>;

/** Returns the names of the functions with Lookout's code. */
async function lookoutFunctions(aws: Requests): Promise<readonly string[]> {
  const all = await aws.functions();
  const code = all.find(({ FunctionName }) => FunctionName.includes("verifycheckrollout"))?.CodeSha256;
  return all.filter(({ CodeSha256 }) => CodeSha256 === code).map(({ FunctionName }) => FunctionName);
}

/** Returns the requests to Lambda and S3. No client of theirs is among the dependencies. */
function requests({ endpoint, aws }: Emulator) {
  const credentials = () => Promise.resolve(aws.credentials);
  const send = async (
    service: string,
    method: string,
    path: string,
    body?: string | Buffer<ArrayBuffer>,
  ): Promise<Response> => {
    const url = `${endpoint}/${path}`;
    const headers = await requestSigner(credentials, { region, service })(
      { method, url, headers: {} },
      epochMs(Date.now()),
    );
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    if (!response.ok) throw new Error(`${method} /${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const functions = "2015-03-31/functions";
  return {
    async functions(): Promise<readonly DeployedFunction[]> {
      const response = await send("lambda", "GET", `${functions}?MaxItems=1000`);
      return ((await response.json()) as { readonly Functions: readonly DeployedFunction[] }).Functions;
    },
    async deployedCode(name: string): Promise<Buffer> {
      const response = await send("lambda", "GET", `${functions}/${name}`);
      const { Code } = (await response.json()) as { readonly Code: { readonly Location: string } };
      return Buffer.from(await (await fetch(Code.Location)).arrayBuffer());
    },
    store: (key: string, content: Buffer<ArrayBuffer>) => send("s3", "PUT", `${bucket}/${key}`, content),
    replaceCode: (name: string, key: string) =>
      send("lambda", "PUT", `${functions}/${name}/code`, JSON.stringify({ S3Bucket: bucket, S3Key: key })),
  };
}
