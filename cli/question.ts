import type { World } from "./world.ts";

/** Asks the user. Returns true for `y` and `yes`; an empty or closed input means no. */
export async function isConfirmed(world: Pick<World, "stderr" | "stdin">, question: string): Promise<boolean> {
  world.stderr.write(`${question} [y/N] `);
  return /^y(es)?$/i.test((await firstLine(world)).trim());
}

async function firstLine(world: Pick<World, "stdin">): Promise<string> {
  let text = "";
  for await (const piece of world.stdin()) {
    text += Buffer.from(piece).toString("utf8");
    if (text.includes("\n") || text.length > 1_000) break;
  }
  return text.split("\n")[0] ?? "";
}
