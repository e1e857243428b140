import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScratch, type Running, type Scratch } from "#test/docs/shell";

const patience = 90_000;
const api = "demo/shop/deployment/api";
const web = "demo/shop/deployment/web";
const start = "npx lookout start --listen 127.0.0.1:0";

let scratch: Scratch;
let demo: Running;

beforeAll(async () => {
  scratch = openScratch({});
  demo = scratch.start(start);
  await demo.says(/"name":"Started"/);
}, patience);
afterAll(() => scratch.close(), patience);

const lookout = (typed: string) => scratch.run(`npx lookout ${typed}`);

/** A text with `TIME`, `DIGEST` and `SPAN` for those of this run. */
function still(text: string): readonly string[] {
  return text
    .replaceAll(/\b(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\b/g, "TIME")
    .replaceAll(/\b[0-9a-f]{12}\b/g, "DIGEST")
    .replaceAll(/\b\d+[.]\d s\b/g, "SPAN")
    .replaceAll(/\bin \d.*(?=$|[.])/gm, "SOON")
    .replaceAll(/\bpod api-\d+/g, "pod api-N")
    .trim()
    .split("\n");
}

interface Result {
  readonly at: string;
  readonly result: string;
  readonly exitCode: number;
  readonly images: readonly { readonly tag: string; readonly digest: string }[];
}

function objectsOf(text: string): readonly unknown[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

describe("lookout wait, with the demo", () => {
  it("ends at once for a version that runs since before Lookout", async () => {
    const { code, stdout } = await lookout("wait shop/api 1.2.0 --timeout 5s");

    expect({ code, stdout }).toEqual({ code: 0, stdout: "✓ shop/api runs 1.2.0 already\n" });
  });

  it(
    "waits for a push that comes later, shows each step, and ends within a second of the success",
    async () => {
      const waiting = lookout("wait shop/api 1.3.0 --timeout 1m");
      const inJson = lookout("wait shop/api 1.3.0 --timeout 1m --output json").then((ran) => ({
        ...ran,
        at: Date.now(),
      }));
      await lookout("push shop/api:1.3.0");
      const [{ code, stdout }, json] = await Promise.all([waiting, inJson]);

      expect(code).toBe(0);
      expect(still(stdout).filter((line) => !line.includes("waits for a push"))).toEqual([
        "TIME  selected 1.3.0 @ DIGEST",
        "TIME  patched",
        "TIME  running, 3 pods",
        "✓ succeeded after SPAN",
      ]);
      const result = objectsOf(json.stdout).at(-1) as Result;
      expect(result).toMatchObject({ result: "succeeded", exitCode: 0, workload: api, images: [{ tag: "1.3.0" }] });
      expect(json.at - Date.parse(result.at)).toBeLessThan(1_000);
    },
    patience,
  );

  it("ends at once for a version that succeeded before, and says since when", async () => {
    const { code, stdout } = await lookout("wait shop/api 1.3.0");

    expect({ code, stdout: still(stdout) }).toEqual({ code: 0, stdout: ["✓ shop/api runs 1.3.0 @ DIGEST since TIME"] });
  });

  it(
    "waits for the new image of a tag that has moved",
    async () => {
      await lookout("push shop/api:1.3.0");
      const { code, stdout } = await lookout("wait shop/api 1.3.0 --timeout 1m");

      expect({ code, last: still(stdout).at(-1) }).toEqual({ code: 0, last: "✓ succeeded after SPAN" });
    },
    patience,
  );

  it(
    "ends with 1 when the update is rolled back, also afterwards, and with 0 if any end will do",
    async () => {
      await lookout("push shop/api:1.4.0 --broken");
      const during = await lookout("wait shop/api --timeout 1m");
      const after = await lookout("wait shop/api 1.4.0 --timeout 1m");
      const settled = await lookout("wait shop/api 1.4.0 --for settled");
      const status = await lookout("status shop/api --exit-code");

      const sentence =
        "✗ shop/api 1.4.0 @ DIGEST was rolled back at TIME: rollout failed: ImagePullBackOff in container api (registry.demo/shop/api:1.4.0@DIGEST) of pod api-N, the registry has no such image.";
      const advice = [
        "  To let Lookout try it again:  lookout unblock demo/shop/deployment/api",
        "  To see the reasons:  lookout explain demo/shop/deployment/api",
      ];
      expect({ code: during.code, says: still(during.stderr) }).toEqual({ code: 1, says: [sentence, ...advice] });
      expect({ code: after.code, says: still(after.stderr) }).toEqual({ code: 1, says: [sentence, ...advice] });
      expect({ code: settled.code, says: still(settled.stdout) }).toEqual({ code: 0, says: [sentence] });
      expect(status.code).toBe(1);
    },
    patience,
  );

  it(
    "waits again for a version that was unblocked",
    async () => {
      const waiting = lookout("unblock shop/api && npx lookout wait shop/api 1.4.0 --timeout 1m");
      const { code, stdout } = await waiting;

      expect({ code, said: stdout }).toMatchObject({ code: 1 });
      expect(stdout).toContain("rolling back");
    },
    patience,
  );

  it.each([
    {
      because: "the policy never selects the tag, though nobody has pushed it",
      version: "2.0.0",
      says: "✗ shop/api 2.0.0 is not wanted: semver ^1 does not select 2.0.0: it is outside the range. To allow the tag, set a wider lookout.dev/semver-range.",
    },
    {
      because: "a higher tag runs",
      version: "1.2.0",
      says: "✗ shop/api 1.2.0 is not wanted: semver ^1 does not select 1.2.0: it is older than the running tag. To allow downgrades, set lookout.dev/allow-downgrade to true.",
    },
  ])("ends with 4 and the words of the policy if $because", async ({ version, says }) => {
    const { code, stderr } = await lookout(`wait shop/api ${version}`);

    expect({ code, says: still(stderr)[0] }).toEqual({ code: 4, says });
  });

  it("says at once that it waits for a push of an unknown tag, and ends with 5", async () => {
    const { code, stdout, stderr } = await lookout("wait shop/api 1.99.0 --timeout 1s");

    expect({ code, stdout: still(stdout), says: still(stderr)[0] }).toEqual({
      code: 5,
      stdout: ["TIME  waits for a push of 1.99.0: the repository does not have it yet"],
      says: "✗ shop/api 1.99.0 did not succeed in time: waits for a push of 1.99.0: the repository does not have it yet.",
    });
  });

  it("ends with 1 while an annotation is invalid", async () => {
    const { code, stderr } = await lookout("wait lab/tool 2.0.0");

    expect({ code, says: still(stderr)[0] }).toEqual({
      code: 1,
      says: '✗ lab/tool 2.0.0 does not come while an annotation is invalid: lookout.dev/semver-range ">>1": not a range (character 2).',
    });
  });

  it(
    "ends with 4 and the newer version when an update is superseded before it runs",
    async () => {
      // The window of shop/web is open on Saturdays, and holds nothing then.
      await lookout("freeze demo/shop --why holiday --by eva");
      await lookout("push shop/web:2.1.0");
      const waiting = lookout("wait shop/web 2.1.0 --timeout 30s");
      const next = lookout("wait shop/web --timeout 4s");
      const pushed = await lookout("wait shop/web 2.1.0 --timeout 1s");
      expect({ code: pushed.code, stdout: still(pushed.stdout) }).toEqual({
        code: 5,
        stdout: [
          "TIME  selected 2.1.0 @ DIGEST",
          expect.stringMatching(/^TIME {2}waits: frozen: demo\/shop: holiday, by eva/),
        ],
      });
      await lookout("push shop/web:2.2.0");
      const says = [
        "✗ shop/web 2.1.0 @ DIGEST is not wanted any more: it was superseded by 2.2.0 @ DIGEST at TIME.",
        `  To wait for the newer version:  lookout wait ${web} 2.2.0`,
        `  To see the reasons:  lookout explain ${web}`,
      ];
      const during = await waiting;
      const after = await lookout("wait shop/web 2.1.0");
      const followed = await next;

      expect({ code: during.code, says: still(during.stderr) }).toEqual({ code: 4, says });
      expect({ code: after.code, says: still(after.stderr) }).toEqual({ code: 4, says });
      expect({ code: followed.code, stdout: followed.stdout }).toMatchObject({ code: 5 });
      expect(followed.stderr).toContain("2.2.0");
      expect((await lookout("status shop/web --exit-code")).code).toBe(0);
      await lookout("unfreeze demo/shop");
    },
    patience,
  );

  it("names the nearest workload for a misspelt one, and ends as other commands do", async () => {
    const { code, stderr } = await lookout("wait shop/ap 1.0.0");

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: [
        '✗ No workload "shop/ap" is tracked.',
        "  Did you mean shop/api?",
        "  To see all tracked workloads:  lookout status",
        "",
      ].join("\n"),
    });
  });

  it(
    "goes on while the process is killed and started again",
    async () => {
      const waiting = scratch.start("npx lookout wait pay/ledger 3.2.0 --timeout 1m");
      await waiting.says(/waits for a push of 3[.]2[.]0/);
      await scratch.run("kill -9 $(node -p 'JSON.parse(fs.readFileSync(`.lookout/server.json`)).pid')");
      demo = scratch.start(start);
      await demo.says(/"name":"Started"/);
      await lookout("push pay/ledger:3.2.0");

      expect(still(await waiting.says(/succeeded/))).toEqual([
        expect.stringContaining("waits for a push of 3.2.0"),
        "TIME  selected 3.2.0 @ DIGEST",
        "TIME  patched",
        "TIME  running, 2 pods",
        "✓ succeeded after SPAN",
      ]);
    },
    patience,
  );

  it("ends with 130 on Ctrl-C", async () => {
    const waiting = scratch.start("npx lookout wait shop/api 1.99.0");
    await waiting.says(/waits for a push/);

    expect(await waiting.interrupt()).toMatchObject({
      code: 130,
      stderr: "! Interrupted. The update goes on without this command.\n",
    });
  });

  it("ends with its own exit code if nobody reads the output", async () => {
    const { stdout } = await scratch.run(
      'node bin/lookout.js wait shop/api 1.99.0 --timeout 2s 2>/dev/null | head -0; echo "${PIPESTATUS[0]}"',
    );

    expect(stdout).toBe("5\n");
  });
});

describe("lookout push --wait, with the demo", () => {
  it(
    "ends when the image runs, with a line for the workload",
    async () => {
      const { code, stdout } = await lookout("push shop/api:1.5.0 --wait");

      expect({ code, stdout: still(stdout).filter((line) => !line.includes("waits for a push")) }).toEqual({
        code: 0,
        stdout: [
          "✓ pushed registry.demo/shop/api:1.5.0 @ DIGEST",
          "TIME  shop/api  selected 1.5.0 @ DIGEST",
          "TIME  shop/api  patched",
          "TIME  shop/api  running, 3 pods",
          "✓ shop/api 1.5.0 @ DIGEST succeeded after SPAN",
        ],
      });
    },
    patience,
  );

  it(
    "ends with 1 after a rollback, and prints one object per line",
    async () => {
      const { code, stdout, stderr } = await lookout("push shop/api:1.6.0 --broken --wait --output json");
      const objects = objectsOf(stdout);

      expect({ code, stderr, first: objects[0] }).toMatchObject({
        ...{ code: 1, stderr: "" },
        first: { image: "registry.demo/shop/api:1.6.0" },
      });
      expect(objects.at(-1)).toMatchObject({ result: "rolled-back", exitCode: 1, workload: api });
    },
    patience,
  );

  it("ends with 4 if no workload tracks the image", async () => {
    const { code, stderr } = await lookout("push shop/nothing:1.0.0 --wait");

    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: "! No workload tracks registry.demo/shop/nothing, so there is nothing to wait for.\n",
    });
  });

  it("ends with 5 for an update that a freeze holds", async () => {
    await lookout("freeze demo/shop --why holiday --by eva");

    expect(await lookout("push shop/web:2.3.0 --wait --timeout 2s")).toMatchObject({ code: 5 });
  });
});
