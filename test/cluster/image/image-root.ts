import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type BuildStage, commandOf, pairsOf, stagesOf, textOf, textsOf } from "./dockerfile.ts";

const run = promisify(execFile);
const project = join(import.meta.dirname, "../../..");

/** The files of the image as a folder, and its settings. */
export interface ImageRoot {
  readonly folder: string;
  /** The last stage of the Dockerfile. */
  readonly stage: BuildStage;
  remove(): Promise<void>;
}

/** A folder of this machine in a container. */
export interface Mount {
  readonly from: string;
  readonly to: string;
  readonly readOnly: boolean;
}

/**
 * Builds the image without a container engine: runs the build of the first stage on what the
 * engine would send it, and the instructions of the last stage on a folder.
 *
 * This machine's Node and its libraries stand for the base image, so the digests of the base images
 * and arm64 are not tested.
 */
export async function buildImage(): Promise<ImageRoot> {
  const place = await mkdtemp(join(tmpdir(), "lookout-image-"));
  const [build, stage] = stagesOf(await readFile(join(project, "Dockerfile"), "utf8"));
  if (build === undefined || stage === undefined) throw new Error("the Dockerfile has fewer than two stages");
  await chmod(place, 0o755);
  const context = join(place, "context");
  await sendContext(context);
  const [, command = ""] = textsOf(build, "RUN");
  await run("sh", ["-c", command.replaceAll(/ [/](image|volume)\b/g, ` ${place}/$1`)], {
    cwd: context,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });
  const folder = join(place, "root");
  await fillBase(folder);
  for (const copy of textsOf(stage, "COPY")) await applyCopy(copy, place, folder);
  await mkdir(join(folder, textOf(stage, "WORKDIR")), { recursive: true });
  return { folder, stage, remove: () => rm(place, { recursive: true, force: true }) };
}

/** Copies the files that .dockerignore allows. The packages are those of `npm ci` in this checkout. */
async function sendContext(context: string): Promise<void> {
  const lines = (await readFile(join(project, ".dockerignore"), "utf8")).split("\n");
  for (const path of lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1)))
    await cp(join(project, path), join(context, path), { recursive: true });
  await symlink(join(project, "node_modules"), join(context, "node_modules"));
}

/** The folders that the container runtime mounts. */
const mountPoints = ["proc", "dev", "tmp"];

async function fillBase(root: string): Promise<void> {
  for (const name of [...mountPoints, "etc", "nodejs/bin"]) await mkdir(join(root, name), { recursive: true });
  await cp(process.execPath, join(root, "nodejs/bin/node"));
  const { stdout } = await run("ldd", [process.execPath]);
  for (const [library = ""] of stdout.matchAll(/[/]\S+/g))
    await cp(library, join(root, library), { dereference: true });
  await writeFile(join(root, "etc/passwd"), "nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n");
  await writeFile(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
}

/** Copies `--from=build [--chown=UID:GID] /image/ /`. */
async function applyCopy(text: string, place: string, root: string): Promise<void> {
  const words = text.split(" ");
  const [from = "", to = ""] = words.filter((word) => !word.startsWith("--"));
  await cp(join(place, from), join(root, to), { recursive: true });
  const owner = words.find((word) => word.startsWith("--chown="))?.slice("--chown=".length);
  if (owner !== undefined) await chown(join(root, to), ...idsOf(owner));
}

/** Returns the user and the group of `65532:65532`. */
export function idsOf(owner: string): readonly [number, number] {
  const [user, group] = owner.split(":").map(Number);
  if (!Number.isInteger(user) || !Number.isInteger(group)) throw new Error(`"${owner}" is not UID:GID`);
  return [Number(user), Number(group)];
}

/** Mounts the root read-only and the folders in it, and runs a command in it as the image's user. */
const inContainer = `set -e
root=$1 user=$2 group=$3 place=$4; shift 4
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do
  mount --bind "$1" "$root$2"
  if [ "$3" = ro ]; then mount -o remount,bind,ro "$root$2"; fi
  shift 3
done
shift
exec setpriv --no-new-privs unshare --root="$root" --wd="$place" --setgid="$group" --setuid="$user" -- "$@"
`;

/**
 * Starts a command in a container of the image, with a read-only root, in the network of this
 * machine. Needs root.
 */
export async function startIn(
  { folder, stage }: ImageRoot,
  command: readonly string[],
  mounts: readonly Mount[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const [user, group] = idsOf(textOf(stage, "USER"));
  for (const { to } of mounts) await mkdir(join(folder, to), { recursive: true });
  const words = mounts.flatMap(({ from, to, readOnly }) => [from, to, readOnly ? "ro" : "rw"]);
  return spawn(
    "/usr/bin/unshare",
    [
      ...["--mount", "--propagation", "private", "--", "/bin/sh", "-c", inContainer, "sh"],
      ...[folder, String(user), String(group), textOf(stage, "WORKDIR"), ...words, "--", ...command],
    ],
    { env: { ...pairsOf(textOf(stage, "ENV")), ...environment }, stdio: ["ignore", "pipe", "pipe"] },
  );
}

/** Returns the command of the image with other arguments than those of CMD. */
export function entrypointWith({ stage }: ImageRoot, programArguments: readonly string[]): readonly string[] {
  return [...commandOf(stage, "ENTRYPOINT"), ...programArguments];
}
