import { execFile } from "node:child_process";
import { access, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { dynamoContracts } from "#test/adapters/dynamodb/contracts";
import { type Engine, engineAt } from "#test/adapters/dynamodb/engine";
import { freePorts } from "./bed/ports.ts";
import { startDaemon } from "./bed/processes.ts";
import { until } from "./bed/until.ts";

const version = "2.6.1";
const pom = new URL("bed/dynamodb-local/pom.xml", import.meta.url).pathname;

let engine: Engine;
beforeAll(async () => {
  const libraries = await fetchLibraries();
  engine = await startDynamoDbLocal(libraries);
});
afterAll(() => engine.stop());

dynamoContracts(() => engine);

/** Fetches DynamoDB Local with Maven into the cache of the test bed. Returns the folder. */
async function fetchLibraries(): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(process.env.LOOKOUT_TEST_BED ?? join(cache, "lookout", "test-bed"), `dynamodb-local-${version}`);
  const there = await access(join(folder, `DynamoDBLocal-${version}.jar`)).then(
    () => true,
    () => false,
  );
  if (!there) {
    const flags = ["-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DincludeScope=runtime"];
    await promisify(execFile)("mvn", [...flags, `-DoutputDirectory=${folder}`]);
  }
  return folder;
}

/**
 * Starts DynamoDB Local. It can't listen only on the loopback, but contains only the tests' records
 * in memory.
 */
async function startDynamoDbLocal(libraries: string): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-dynamodb-local-"));
  const [port] = await freePorts(1);
  const endpoint = `http://127.0.0.1:${String(port)}`;
  const main = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner";
  const daemon = await startDaemon({
    program: "java",
    arguments: [
      `-Djava.library.path=${libraries}`,
      "-cp",
      `${libraries}/*`,
      main,
      "-inMemory",
      "-sharedDb",
      "-disableTelemetry",
      "-port",
      String(port),
    ],
    log: join(folder, "log"),
    folder,
  });
  // DynamoDB Local answers 400 to a request without an operation, so any response means ready.
  await until("DynamoDB Local answers", () => fetch(endpoint));
  return engineAt(endpoint, async () => {
    await daemon.stop();
    await rm(folder, { recursive: true, force: true });
  });
}
