import { describe, expect, it } from "vitest";
import { remedyOf } from "#cli/render/reason";
import { notificationRefusals, requestRefusals } from "#domain/shared/refusals";
import { retryOf, type Reason, reasons, skipReasons, tagRejections } from "#domain/shared/reasons";
import { workloadKeys } from "#domain/settings/setting-keys";
import { registryReasons } from "#ports/registry";

interface Row {
  readonly reason: string;
  readonly remedy: string;
}

const rows: readonly Row[] = [reasons, tagRejections, skipReasons, notificationRefusals, requestRefusals].flatMap(
  (table) => Object.entries<{ readonly remedy: string }>(table).map(([reason, { remedy }]) => ({ reason, remedy })),
);

/** What a reader of a remedy can do: the verbs at the start of one of its clauses. */
const steps =
  /(?:^|[.:,;] |(?:or|and|then) )(?:add|allow|answer|approve|ask|change|check|continue|correct|end|exclude|export|extract|find|give|grant|have|import|keep|let|lift|list|log in|lower|make|name|nothing to do|open|pass|propose|push|put|raise|read|remove|renew|repeat|restore|resume|retry|see|send|set|shorten|start|stop|switch|try|unblock|update|upgrade|use|wait|widen|write)\b/i;
/** Who else can do something, or that Lookout does it. */
const others =
  /\b(?:administrator|owner|caller|sender|person|Lookout (?:evaluates|retries|tries|itself|asks)|No image can have this tag)\b/;

/** What a detail names: a setting, a check, a host. */
const detail = "registry.example.com answered 503";

describe("a remedy", () => {
  it.each(rows)("of $reason names something to do", ({ remedy }) => {
    expect(steps.test(remedy) || others.test(remedy)).toBe(true);
  });

  it.each(rows.filter(({ remedy }) => remedy.includes("lookout.dev/")))(
    "of $reason names known annotations",
    ({ remedy }) => {
      const named = [...remedy.matchAll(/lookout\.dev\/([a-z-]+)/g)].map(([, key = ""]) => key);

      expect(named.filter((key) => !workloadKeys.has(key))).toEqual([]);
    },
  );

  it.each(Object.keys(reasons) as Reason[])("of %s is not the command that printed it: lookout explain", (reason) => {
    const view = { reason, sentence: reasons[reason].sentence, remedy: reasons[reason].remedy, detail };

    expect(remedyOf(view, "prod/shop/deployment/api", { wide: false }) ?? "").not.toMatch(/lookout (?:explain|status)/);
  });

  const ofDoctor = (Object.keys(reasons) as Reason[]).filter(
    (reason) => retryOf(reason) === "cluster" || reason.startsWith("registry-") || reason === "nodes-unknown",
  );

  it.each([...new Set([...ofDoctor, ...Object.values(registryReasons)])])(
    "of %s is not a command that prints it: lookout doctor, lookout registry list",
    (reason) => {
      expect(reasons[reason].remedy).not.toMatch(/lookout (?:doctor|registry list)/);
    },
  );

  const naming = (Object.keys(reasons) as Reason[]).filter((reason) => /\bnamed\b/.test(reasons[reason].remedy));

  it.each(naming)("of %s points to the log if nothing is named", (reason) => {
    const view = { reason, sentence: "", remedy: reasons[reason].remedy };

    expect(remedyOf(view, "prod/shop/deployment/api", { wide: false })).toBe("Find the cause in the log of Lookout.");
  });

  it.each(Object.keys(reasons) as Reason[])("of %s has the workload in place of each placeholder", (reason) => {
    const { sentence, remedy } = reasons[reason];
    const shown = remedyOf({ reason, sentence, remedy, detail }, "prod/shop/deployment/api", { wide: false }) ?? "";

    expect(shown).not.toMatch(/\b(?:WORKLOAD|NAME|SCOPE)\b/);
  });

  it.each(["digest-blocked", "digest-replaced", "digest-rejected"] as const)(
    "of %s names the digest to unblock",
    (reason) => {
      const { sentence, remedy } = reasons[reason];
      const why = { reason, sentence, remedy, detail: `1.5.0 @ sha256:${"4d".repeat(32)}: update 16` };

      expect(remedyOf(why, "prod/shop/deployment/api", { wide: false })).toMatch(
        /: lookout unblock prod\/shop\/deployment\/api --digest 4d4d4d4d4d4d\.$/,
      );
    },
  );

  it.each(Object.entries(tagRejections))("of a tag that %s is true for any tag", (_, { remedy }) => {
    // A remedy about a count of numbers would be false for a tag that has this count.
    expect(remedy).not.toMatch(/\b(?:one|two|three|four) numbers?\b/);
  });
});
