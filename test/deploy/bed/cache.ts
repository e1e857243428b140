import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Returns the folder of the test beds' programs. `test/cluster/bed/build.sh` uses the same folder.
 */
export function cacheFolder(): string {
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return process.env["LOOKOUT_TEST_BED"] ?? join(caches, "lookout", "test-bed");
}
