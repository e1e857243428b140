import { homedir } from "node:os";
import { join } from "node:path";

/** Where the programs of the test beds are kept between runs: what `test/cluster/bed/build.sh` uses too. */
export function cacheFolder(): string {
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return process.env["LOOKOUT_TEST_BED"] ?? join(caches, "lookout", "test-bed");
}
