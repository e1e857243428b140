import { describe, expect, it } from "vitest";
import { fullAccess, type Access } from "#domain/access/access";
import { gates } from "#domain/gates/index";
import { minutes, seconds } from "#domain/shared/time";
import type { Tier } from "#domain/tiers/rules";
import { serveApi } from "#runtime/api";
import { host, type World, world } from "../app/world.ts";
import { lines, lookout as command } from "../cli/world.ts";

const tier = (name: string, given: Partial<Tier> = {}): Tier => ({
  ...{ name, soak: minutes(0), haltOnFailure: true, namespaces: [`shop-${name}`] },
  ...given,
});

/** A Lookout with a member of the group `web` in each of two tiers. */
async function tiered(
  dev: Partial<Tier> = {},
  annotations: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Promise<World> {
  const tiers = { tiers: [tier("dev", dev), tier("prod")], clusters: [] };
  const lookout = world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, tiers);
  await lookout.push("shop/web", "1.0.0", { quietly: true });
  for (const name of ["dev", "prod"])
    lookout.deploy({
      ...{ namespace: `shop-${name}`, name: "web", image: `${host}/shop/web:1.0.0` },
      annotations: {
        ...{ "lookout.dev/enabled": "true", "lookout.dev/tier-group": "web" },
        ...annotations[name],
      },
    });
  await lookout.sync();
  await lookout.pass(seconds(5));
  await lookout.sync();
  await lookout.pass(seconds(5));
  return lookout;
}

/** Runs the command against the API of a Lookout, at its time. */
async function run(lookout: World, typed: string, access: Access = fullAccess): Promise<string> {
  const { stdout, stderr } = await command(
    typed.split(" "),
    {},
    {
      now: () => lookout.clock.now(),
      fetch: (url, request) => serveApi(new Request(url, request), lookout.ports, new AbortController().signal, access),
    },
  );
  return stdout + stderr;
}

/** Returns the rows with these labels, without their marks. */
const rowsOf = (text: string, ...labels: readonly string[]): readonly string[] =>
  text.split("\n").filter((line) => labels.some((label) => line.slice(4).startsWith(label)));

const first = "shop-prod/deployment/web";
const firstRow = (text: string): string | undefined =>
  text
    .split("\n")
    .find((line) => line.startsWith(first))
    ?.replace(/.*(?=⏸)/, "");

const shopProd: Access = { ...fullAccess, scope: { ...fullAccess.scope, namespaces: ["shop-prod"] } };
const remedy = `Continue now: lookout release --past tier --why REASON prod/${first}.`;

describe("an update that waits for an earlier tier", () => {
  it("names the member that rolls out, and since when", async () => {
    const lookout = await tiered();
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(seconds(1));

    expect(await run(lookout, "explain shop-prod/web")).toBe(
      lines(
        `prod/${first} wants registry.test/shop/web:1.1.0 @ c13318fcbd2b (update 1, selected 11:00 CET by semver: any higher version)`,
        "",
        "  ✓ policy   semver selects 1.1.0 of 2 tags",
        "  ⏸ tier     prod of group web. A member of an earlier tier has not run this image. prod/shop-dev/web: rolls out 1.1.0, since 11:00 CET.",
        `  ✓ open     ${gates
          .filter((gate) => gate !== "tier")
          .map((gate) => gate.replaceAll("-", " "))
          .join(", ")}`,
        "",
        "To do:",
        `  Wait until it has, or suspend that member. ${remedy}`,
        "",
        `History: lookout history prod/${first}`,
      ),
    );
    expect(firstRow(await run(lookout, "status shop-prod/web"))).toBe(
      "⏸ held 1 s: waits for prod/shop-dev/web: rolls out 1.1.0, since 11:00 CET",
    );
    expect(firstRow(await run(lookout, "status"))).toBe("⏸ held 1 s: waits for prod/shop-dev/web");
  });

  it("names the member that is held, but not to a token that does not cover it", async () => {
    const lookout = await tiered({}, { dev: { "lookout.dev/approval-required": "true" } });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));
    const sentence = "  ⏸ tier     prod of group web. A member of an earlier tier has not run this image.";

    expect(rowsOf(await run(lookout, "explain shop-prod/web"), "tier")).toEqual([
      `${sentence} prod/shop-dev/web: holds 1.1.0: needs approval, since 11:00 CET.`,
    ]);
    expect(rowsOf(await run(lookout, "explain shop-prod/web", shopProd), "tier")).toEqual([
      `${sentence} dev: another member.`,
    ]);
    expect(firstRow(await run(lookout, "status", shopProd))).toBe("⏸ held 2 m: waits for another member");
    for (const verb of ["explain", "history", "status", "updates"])
      expect(await run(lookout, `${verb} shop-prod/web -o json`, shopProd), verb).not.toContain("shop-dev");
    expect(await run(lookout, "history -n shop-prod -o json", shopProd)).not.toContain("shop-dev");
  });

  it("names a member whose policy does not want the image", async () => {
    const lookout = await tiered({}, { dev: { "lookout.dev/semver-range": "<1.1" } });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));

    expect(firstRow(await run(lookout, "status shop-prod/web"))).toBe(
      "⏸ held 2 m: waits for prod/shop-dev/web: runs 1.0.0",
    );
  });

  it("tells when the soak ends", async () => {
    const lookout = await tiered({ soak: minutes(30) });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));

    expect(rowsOf(await run(lookout, "explain shop-prod/web"), "tier")).toEqual([
      "  ⏸ tier     prod of group web. The members of an earlier tier ran this image, and its soak has not ended. dev: soaks for 30m, since prod/shop-dev/deployment/web ran 1.1.0. Ends in 28 m, 11:30 CET.",
    ]);
    expect(firstRow(await run(lookout, "status"))).toBe("⏸ held 2 m: tier dev soaks, ends in 28 m");
    expect((await run(lookout, "wait shop-prod/web 1.1.0 --timeout 0s")).split("\n").slice(0, 4)).toEqual([
      "11:00:10  selected 1.1.0 @ c13318fcbd2b",
      "11:00:10  waits for tier dev: prod/shop-dev/web has not run it",
      "11:00:21  waits for tier dev: prod/shop-dev/web soaks for 30 m more",
      "✗ shop-prod/web 1.1.0 @ c13318fcbd2b did not succeed in time: held: tier dev soaks, ends in 28 m.",
    ]);
  });

  it("names the tags that wait while an image is selected that the tier ran", async () => {
    const lookout = await tiered({ soak: minutes(30) }, { prod: { "lookout.dev/approval-required": "true" } });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(20));
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(minutes(12));

    expect(rowsOf(await run(lookout, "explain shop-prod/web"), "policy", "tier")).toEqual([
      "  ✓ policy     semver selects 1.1.0 of 3 tags; rejected: 1 waiting for an earlier tier (1.2.0)",
      "  ✓ tier       prod of group web: dev ran it",
    ]);
    expect((await run(lookout, "explain shop-prod/web 1.2.0")).split("\n")[2]).toBe(
      "✗ semver does not select 1.2.0: it waits for an earlier tier. See what the earlier tiers run: lookout tiers.",
    );
    expect(firstRow(await run(lookout, "status"))).toMatch(/^⏸ held .*needs approval/);
  });

  it("is never up to date, also when the image that the tier ran runs", async () => {
    const lookout = await tiered({ soak: minutes(30) });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(20));
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(minutes(12));

    expect(firstRow(await run(lookout, "status"))).toBe("⏸ held 1 m: tier dev soaks, ends in 18 m");
  });

  it("names the member on which the image failed", async () => {
    const lookout = await tiered();
    await lookout.push("shop/web", "1.1.0", { broken: true });
    await lookout.pass(minutes(15));
    const text = await run(lookout, "explain shop-prod/web");

    expect(rowsOf(text, "tier")).toEqual([
      "  ⏸ tier     prod of group web. An earlier tier halted this image, because a member has blocked it. prod/shop-dev/web: runs 1.0.0; 1.1.0 failed (rollout failed), since 11:00 CET.",
    ]);
    expect(text).toContain("unblock the digest there: lookout unblock prod/shop-dev/deployment/web.");
    expect(firstRow(await run(lookout, "status"))).toBe("⏸ held 15 m: halted by prod/shop-dev/web");
  });

  it("is released past the tier with all others of its namespace", async () => {
    const lookout = await tiered({ soak: minutes(30) });
    await lookout.push("shop/web", "1.1.0");
    await lookout.pass(minutes(2));

    expect(await run(lookout, "release --past tiers prod/shop-prod --why urgent --dry-run")).toBe(
      lines(
        "⏸ 1 update would be released. To release: the same command without --dry-run.",
        `  prod/${first} → 1.1.0`,
        "  Later images wait for these gates again.",
      ),
    );
    expect(await run(lookout, "release --past tier prod/shop-prod --why urgent")).toBe(
      lines(
        "✓ 1 update released. Its other gates are asked now: lookout status.",
        `  prod/${first} → 1.1.0`,
        "  Later images wait for these gates again.",
      ),
    );
    await lookout.pass(minutes(1));
    expect(lookout.image(`prod/${first}`)).toContain(":1.1.0@");
    await lookout.push("shop/web", "1.2.0");
    await lookout.pass(minutes(1));
    expect(firstRow(await run(lookout, "status"))).toMatch(/^⏸ held .*(waits for prod.shop-dev.web|tier dev soaks)/);
  });
});
