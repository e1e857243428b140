import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openScratch } from "#test/docs/shell";

it("the stack is synthesized without an account, as docs/eks.md says", async () => {
  const scratch = openScratch({ "lookout.yaml": "listen: 127.0.0.1:0\n" });
  try {
    const { code, stderr } = await scratch.run("npx cdk synth --quiet");

    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining("ERROR") as string });
    expect(existsSync(join(scratch.folder, "cdk.out/Lookout.template.json"))).toBe(true);
  } finally {
    await scratch.close();
  }
});
