import { describe, expect, it } from "vitest";
import { lookout } from "./world.ts";

describe("an input that is not UTF-8", () => {
  it("is rejected line by line by a batch, in any chunks", async () => {
    const [line, accent] = [Buffer.from('{"reference":"a"}\n'), Buffer.from("é")];
    const broken = Buffer.concat([Buffer.from('{"reference":"'), accent.subarray(0, 1), Buffer.from('"}\n')]);
    const sound = Buffer.from('{"référence":"a"}\n');
    const all = Buffer.concat([line, broken, sound, line]);
    const pieces = (length: number) =>
      Array.from({ length: Math.ceil(all.length / length) }, (_, at) => all.subarray(at * length, (at + 1) * length));
    const notText = { ok: false, error: { code: "bad-line", message: "the line is not UTF-8 text" } };
    const slip = { ok: false, error: { message: '["référence"]: is not known here; did you mean reference?' } };

    for (const length of [1, 7, all.length]) {
      const stdin = async function* () {
        yield* pieces(length);
      };
      const { stdout, exitCode } = await lookout(["image", "parse", "--batch"], {}, { stdin });
      const answers = stdout
        .trim()
        .split("\n")
        .map((answer) => JSON.parse(answer) as unknown);

      expect(answers).toMatchObject([{ familiar: "a" }, notText, slip, { familiar: "a" }]);
      expect(exitCode).toBe(2);
    }
  });

  it.each(["workload parse -f -", "import -"])("is rejected by lookout %s", async (typed) => {
    const stdin = async function* () {
      yield Uint8Array.of(0x7b, 0xff, 0x7d);
    };
    const { stderr, exitCode } = await lookout(typed.split(" "), {}, { stdin });

    expect([stderr, exitCode]).toEqual(["✗ stdin is not UTF-8 text.\n", 2]);
  });
});
