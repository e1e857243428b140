import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lookout } from "#test/cli/world";

const root = join(import.meta.dirname, "../..");

/** Runs a script of this folder over lines. */
function run(script: string, ...lines: readonly string[]) {
  const input = lines.map((line) => `${line}\n`).join("");
  const { stdout, stderr, status } = spawnSync(process.execPath, [`test/judge/${script}.ts`], { cwd: root, input });
  return { stdout: stdout.toString(), stderr: stderr.toString(), exitCode: status };
}

const bad = (message: string) => JSON.stringify({ ok: false, error: { code: "bad-line", message } });

const gates =
  '{"suspended":false,"windows":[],"allowDeclaredSource":false,"together":false,"approval":null,"reapply":null,' +
  '"minAge":null,"platforms":null,"tier":null,"checks":null,"tierGroup":null,"haltOnFailure":null,"maxSeverity":null,"signedBy":null,' +
  '"rollback":{"automatic":true,"timeout":"10m","pullGrace":"1m","to":"previous"}}';

/** For each script: valid lines with their answers, and the answer to an invalid line. */
const scripts: Readonly<
  Record<string, { readonly cases: readonly (readonly [line: string, answer: string])[]; readonly missing: string }>
> = {
  image: {
    cases: [
      [
        '{"reference":"nginx:1.27"}',
        '{"ok":true,"registry":"docker.io","repository":"library/nginx","tag":"1.27","digest":null,"familiar":"nginx:1.27","canonical":"docker.io/library/nginx:1.27"}',
      ],
    ],
    missing: "reference: is missing; expected a text",
  },
  elect: {
    cases: [
      [
        '{"policy":{"kind":"semver","range":">=1.2 <2"},"current":{"tag":"1.2.3"},"tags":["1.2.3","1.3.0","2.0.0"],"explain":true}',
        '{"ok":true,"outcome":"elected","tag":"1.3.0","digest":null,"extracted":null,"attributes":{"tag":"1.3.0"},"rejected":[{"tag":"2.0.0","reason":"outside-range"}]}',
      ],
      [
        '{"policy":{"kind":"latest"},"filter":{"pattern":"^pr-(?P<pr>[0-9]+)-"},"tags":["main",{"name":"pr-7-a1","movedAt":"2026-11-01T00:00:00Z"}]}',
        '{"ok":true,"outcome":"elected","tag":"pr-7-a1","digest":null,"extracted":null,"attributes":{"pr":"7","tag":"pr-7-a1"}}',
      ],
      ['{"policy":{"kind":"semver"},"tags":["main"]}', '{"ok":true,"outcome":"none","reason":"no-tag-fits"}'],
    ],
    missing: "policy: is missing; expected an object",
  },
  window: {
    cases: [
      [
        '{"windows":[{"days":["fri"],"start":"22:00","end":"02:00"}],"at":"2026-11-21T00:30:00Z"}',
        '{"ok":true,"open":true,"until":"2026-11-21T02:00:00Z","opensAt":null,"because":"open: Fri 22:00–02:00 UTC"}',
      ],
    ],
    missing: "windows: is missing; expected a list",
  },
  webhook: {
    cases: [
      [
        '{"receiver":"generic","request":{"method":"POST","headers":{},"body":{"name":"r.test/shop/api","tag":"1.0.0"}}}',
        '{"ok":true,"outcome":"push","status":202,"pushes":[{"registry":"r.test","repository":"shop/api","tags":["1.0.0"],"digest":null,"pushedAt":null,"actor":null}]}',
      ],
    ],
    missing: "receiver: is missing; expected a text",
  },
  workload: {
    cases: [
      [
        '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"api"}}',
        `{"ok":true,"tracked":false,"because":"Lookout does not update objects of kind Pod, only Deployment, StatefulSet, DaemonSet, CronJob","containers":[],"gates":${gates},"problems":[],"notices":[]}`,
      ],
    ],
    missing: "apiVersion: is missing; expected a text",
  },
};

describe("a judge as a process", () => {
  it.each(Object.entries(scripts))("answers lines: test/judge/%s.ts", (script, { cases, missing }) => {
    const [lines, answers] = [cases.map(([line]) => line), cases.map(([, answer]) => `${answer}\n`)];

    expect(run(script, ...lines)).toEqual({ stdout: answers.join(""), stderr: "", exitCode: 0 });
    expect(run(script, "{}", ...lines)).toEqual({
      stdout: [`${bad(missing)}\n`, ...answers].join(""),
      stderr: "",
      exitCode: 2,
    });
  });

  it("ends without an error if its reader goes away", () => {
    const lines = `{"reference":"nginx"}\n`.repeat(20_000);
    const command = '"$0" test/judge/image.ts | head -n 1; echo "${PIPESTATUS[0]}"';
    const { stdout, stderr } = spawnSync("bash", ["-c", command, process.execPath], { cwd: root, input: lines });
    const [answer = "", exitCode] = stdout.toString().split("\n");

    expect(answer).toMatch(/^{"ok":true,/);
    expect([exitCode, stderr.toString()]).toEqual(["0", ""]);
  });
});

it.each(["image parse", "policy elect", "window check", "webhook parse", "workload parse"])(
  "lookout %s has no --batch",
  async (verb) => {
    const { stderr, stdout, exitCode } = await lookout([...verb.split(" "), "--batch"], {});

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toMatch(/unknown option '--batch'/i);
  },
);
