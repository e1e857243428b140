import { describe, expect, it } from "vitest";
import { noRules } from "#domain/approval/approvers";
import { minutes, seconds } from "#domain/shared/time";
import { api, host, trackApi } from "#test/app/world";
import { type Approving, bothOfShop, path, rulesOf, startApproving } from "./approving.ts";

const byAna = (image: string) => ({ "lookout.dev/approved-by": "ana", "lookout.dev/approved-image": image });

/** Writes annotations, and lets Lookout read them. */
async function write({ lookout }: Approving, annotations: Record<string, string | undefined>): Promise<void> {
  lookout.cluster.annotate(api, annotations);
  await lookout.sync();
  await lookout.pass(seconds(60));
}

/** Pushes, and lets Lookout propose the update. */
async function pushed({ lookout }: Approving, tag: string): Promise<string> {
  const digest = await lookout.push("shop/api", tag);
  await lookout.pass(seconds(5));
  return digest;
}

describe("a tag without its digest", () => {
  it("does not approve an unseen digest: the tag moved before Lookout read it", async () => {
    const approving = await startApproving(noRules);
    const { lookout, key } = approving;
    await pushed(approving, "1.1.0");
    const moved = await lookout.push("shop/api", "1.1.0", { quietly: true });
    await write(approving, byAna("1.1.0"));

    expect((await approving.pending()).images).toMatchObject([{ digest: moved }]);
    expect(await approving.waits()).toEqual([
      `no approval yet; needs 1 more; lookout.dev/approved-image: 1.1.0 does not count: it was written before update 2 waited. Write lookout.dev/approved-image: 1.1.0@${moved}`,
    ]);
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);

    await write(approving, byAna(`1.1.0@${moved}`));
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.1.0@${moved}`);
  });

  it("does not approve a later digest, even if the annotation is written again", async () => {
    const approving = await startApproving(noRules, { "lookout.dev/approve": "1.1.0" });
    await pushed(approving, "1.1.0");
    await write(approving, { "lookout.dev/approve": undefined });
    await write(approving, { "lookout.dev/approve": "1.1.0" });

    expect(approving.lookout.image(approving.key)).toBe(`${host}/shop/api:1.0.0`);
    expect(approving.facts()).toEqual(["ApprovalRequested"]);
  });

  it("does not approve another digest after its object was replaced", async () => {
    const approving = await startApproving(noRules);
    const { lookout } = approving;
    await pushed(approving, "1.1.0");
    await write(approving, { "lookout.dev/approve": "1.1.0" });
    lookout.cluster.remove(api);
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0", { quietly: true });
    const required = { "lookout.dev/approval-required": "true" };
    const key = await trackApi(lookout, { ...required, "lookout.dev/approve": "1.1.0" });
    await lookout.pass(seconds(60));

    expect(lookout.image(key)).toBe(`${host}/shop/api:1.0.0`);
  });

  it("does not count where an entry of approvers covers the namespace", async () => {
    const approving = await startApproving(rulesOf({ ...bothOfShop, needed: 1, byAnnotation: true }));
    const digest = await pushed(approving, "1.1.0");
    await write(approving, byAna("1.1.0"));

    expect(await approving.waits()).toEqual([
      `no approval yet; needs 1 more of ana, ben; lookout.dev/approved-image: 1.1.0 does not count: it names no digest. Write lookout.dev/approved-image: 1.1.0@${digest}`,
    ]);
    await write(approving, byAna(`1.1.0@${digest}`));
    expect(approving.lookout.image(approving.key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });
});

describe("an approval by annotation", () => {
  it("counts again for its update after a gating setting changed", async () => {
    const approving = await startApproving(noRules, { "lookout.dev/suspend": "true" });
    const digest = await pushed(approving, "1.1.0");
    await write(approving, byAna("1.1.0"));
    await write(approving, { "lookout.dev/rollback-timeout": "1m", "lookout.dev/suspend": undefined });

    expect(approving.lookout.image(approving.key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
    expect(approving.facts()).toEqual(["ApprovalRequested", "ApprovalGiven", "ApprovalVoided", "ApprovalGiven"]);
  });

  it("proves nobody, so it does not count where two people must approve", async () => {
    const approving = await startApproving(rulesOf(), { "lookout.dev/approvals": "2" });
    const digest = await pushed(approving, "1.1.0");
    expect((await approving.vote("ana")).status).toBe(200);
    for (const name of ["ana", "ben"])
      await write(approving, { ...byAna(`1.1.0@${digest}`), "lookout.dev/approved-by": name });

    expect(await approving.waits()).toEqual([
      `approved by ana; needs 1 more of ben, eva; lookout.dev/approved-image: 1.1.0@${digest} does not count: update 1 needs 2 people, and an annotation proves nobody. Use lookout approve`,
    ]);
    expect(await approving.pending()).toMatchObject({ approvedBy: ["ana"], missing: [{ more: 1 }] });
    expect(await approving.votes()).toEqual([["ana", "token"]]);
    expect(approving.lookout.image(approving.key)).toBe(`${host}/shop/api:1.0.0`);
    expect((await approving.vote("ben")).status).toBe(200);
    await approving.lookout.pass(seconds(5));
    expect(approving.lookout.image(approving.key)).toBe(`${host}/shop/api:1.1.0@${digest}`);
  });

  it("gives no second person where an entry needs one, and the workload asks for two", async () => {
    const entry = { ...bothOfShop, needed: 1, byAnnotation: true };
    const approving = await startApproving(rulesOf(entry), { "lookout.dev/approvals": "2" });
    const digest = await pushed(approving, "1.1.0");
    await write(approving, byAna(`1.1.0@${digest}`));
    expect((await approving.vote("ben")).status).toBe(200);

    expect(await approving.pending()).toMatchObject({ approvedBy: ["ben"], missing: [{ more: 1, people: ["ana"] }] });
  });

  it("is named as what does not count in the votes", async () => {
    const approving = await startApproving(rulesOf(), { "lookout.dev/suspend": "true" });
    const digest = await pushed(approving, "1.1.0");
    await write(approving, byAna(`1.1.0@${digest}`));
    const shown = async () => (await approving.ask(`${path}/explanation`)).body["approval"];

    expect(await shown()).toMatchObject({ votes: [{ person: "ana", provedBy: "annotation", counts: true }] });
    await write(approving, { "lookout.dev/rollback-timeout": "1m", "lookout.dev/approvals": "2" });
    expect(await shown()).toMatchObject({ votes: [{ person: "ana", provedBy: "annotation", counts: false }] });
    expect((await approving.vote("ana")).status).toBe(200);
    expect(await shown()).toMatchObject({
      votes: [
        { provedBy: "annotation", counts: false },
        { provedBy: "token", counts: true },
      ],
      missing: [{ more: 1, people: ["ben", "eva"] }],
    });
  });

  it("counts once, also after many others", { timeout: 20_000 }, async () => {
    const approving = await startApproving(noRules);
    const { lookout, key } = approving;
    for (let minor = 1; minor < 24; minor += 1) {
      await pushed(approving, `1.${minor}.0`);
      await write(approving, byAna(`1.${minor}.0`));
      await lookout.pass(minutes(1));
    }
    const read = (await lookout.record(key)).readApprovals ?? [];

    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
  });
});

describe("the text of the available update", () => {
  it("approves exactly the images that it names", async () => {
    const approving = await startApproving(noRules);
    const { lookout, key } = approving;
    await pushed(approving, "1.1.0");
    await lookout.pass(seconds(5));
    const available = lookout.cluster.object(api)?.metadata.annotations?.["lookout.dev/status.available-update"] ?? "";
    const newer = await pushed(approving, "1.2.0");
    await write(approving, { "lookout.dev/approve": available });

    expect(available).toMatch(/^app=registry\.test\/shop\/api:1\.1\.0@sha256:/);
    expect(await approving.waits()).toEqual([
      `no approval yet; needs 1 more; lookout.dev/approve: ${available} does not count: it does not name the images of update 2. Write lookout.dev/approve: 1.2.0@${newer}`,
    ]);
    await write(approving, { "lookout.dev/approve": `app=${host}/shop/api:1.2.0@${newer}` });
    expect(lookout.image(key)).toBe(`${host}/shop/api:1.2.0@${newer}`);
  });
});

describe("an update that waits for approval without people in lookout.yaml", () => {
  const isAsked = async (approving: Approving) => {
    const digest = await pushed(approving, "1.1.0");
    return `Approve the update: kubectl annotate --overwrite -n shop deployment/api lookout.dev/approve=1.1.0@${digest}`;
  };

  it("shows the command that approves it wherever it shows what to do", async () => {
    const approving = await startApproving(noRules);
    const remedy = await isAsked(approving);
    const waits = [{ reason: "needs-approval", remedy }];

    expect((await approving.ask(path)).body).toMatchObject({ reasons: waits, pending: { reasons: waits } });
    expect((await approving.ask("/v1/workloads")).body).toMatchObject({ workloads: [{ reasons: waits }] });
    expect((await approving.ask("/v1/updates")).body).toMatchObject({ updates: [{ reasons: waits }] });
    expect((await approving.ask(`${path}/updates/1`)).body).toMatchObject({ update: { reasons: waits } });
    expect(await approving.pending()).toMatchObject({ reasons: waits });
    const { body } = await approving.ask(`${path}/explanation`);
    expect(body["gates"]).toContainEqual(
      expect.objectContaining({ gate: "approval", why: expect.objectContaining({ remedy }) as unknown }),
    );
  });

  it("refuses a vote with that command", async () => {
    const approving = await startApproving(noRules);
    const remedy = await isAsked(approving);

    expect(await approving.vote("ana")).toMatchObject({
      status: 403,
      body: { detail: `lookout.yaml names no people, so nobody can vote here. ${remedy}` },
    });
  });

  it("can be approved by `lookout approve` where people can vote", async () => {
    const approving = await startApproving(rulesOf());
    await pushed(approving, "1.1.0");

    expect((await approving.pending()).reasons).toMatchObject([
      { remedy: expect.stringContaining("lookout approve WORKLOAD") as unknown },
    ]);
  });

  it("names what is needed where the workload asks for two people", async () => {
    const approving = await startApproving(noRules, { "lookout.dev/approvals": "2" });
    const digest = await pushed(approving, "1.1.0");
    await write(approving, { "lookout.dev/approve": `1.1.0@${digest}` });

    expect((await approving.pending()).reasons).toMatchObject([
      {
        detail: `no approval yet; needs 2 more; lookout.dev/approve: 1.1.0@${digest} does not count: update 1 needs 2 people, and an annotation proves nobody. Name people in lookout.yaml, then use lookout approve`,
        remedy:
          "Name more people with iam, tokenHash or token in lookout.yaml: this update needs 2 people, nobody can vote, and an annotation proves nobody.",
      },
    ]);
  });

  it("names a vote's own fault where lookout.yaml has too few people", async () => {
    const rules = { ...rulesOf(), people: rulesOf().people.slice(0, 1) };
    const approving = await startApproving(rules, { "lookout.dev/approvals": "2" });
    await pushed(approving, "1.1.0");

    expect((await approving.pending()).reasons).toMatchObject([
      { remedy: expect.stringContaining("this update needs 2 people, only ana can vote") as unknown },
    ]);
    expect(await approving.vote("zoe")).toMatchObject({
      status: 403,
      body: { detail: "this token is in no entry of people in lookout.yaml" },
    });
  });
});

describe("an expired approval", () => {
  it("says that an annotation came too late", async () => {
    const approving = await startApproving(noRules, { "lookout.dev/approval-deadline": "1m" });
    const digest = await pushed(approving, "1.1.0");
    await approving.lookout.pass(minutes(2));
    await write(approving, { "lookout.dev/approve": `1.1.0@${digest}` });

    expect(await approving.waits()).toEqual([
      `no approval yet; needs 1 more; lookout.dev/approve: 1.1.0@${digest} does not count: the approval of update 1 expired`,
    ]);
    expect(approving.lookout.image(approving.key)).toBe(`${host}/shop/api:1.0.0`);
  });
});
