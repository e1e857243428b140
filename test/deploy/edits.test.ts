import { expect, it } from "vitest";
import { playEdits } from "#test/lib/edits/sequence";
import { isProof } from "#test/proof";

const seeds = isProof ? 2_000 : 40;

it("no edit of lookout.yaml is refused for the identifier of a resource", { timeout: seeds * 20_000 }, () => {
  const sequences = Array.from({ length: seeds }, (_, seed) => playEdits(seed));

  console.log(`${sequences.reduce((sum, { deployed }) => sum + deployed, 0)} edits deployed`);
  expect(sequences.flatMap(({ faults }) => faults)).toEqual([]);
});
