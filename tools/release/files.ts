import { glob } from "node:fs/promises";

/** Returns the paths of all files in a folder, in order. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const entry of glob("**/*", { cwd: folder, withFileTypes: true }))
    if (entry.isFile()) paths.push(`${entry.parentPath}/${entry.name}`.slice(folder.length + 1));
  return paths.sort();
}
