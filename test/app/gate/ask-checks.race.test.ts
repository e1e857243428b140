import { describe, expect, it } from "vitest";
import type { CheckReply } from "#domain/checks/answer";
import { minutes, seconds } from "#domain/shared/time";
import type { AskChecks } from "#domain/update/commands";
import { askChecks } from "#app/gate/ask-checks";
import { host, trackApi } from "../world.ts";
import { checkedWorld } from "./checked-world.ts";

describe("two workloads with the same digests at the same time", () => {
  it("ask once, and both go on with the answer", async () => {
    const replies: ((reply: CheckReply) => void)[] = [];
    let isSlow = true;
    await using checked = await checkedWorld(undefined, (checks) => ({
      ask: (check, question) =>
        isSlow ? new Promise<CheckReply>((resolve) => replies.push(resolve)) : checks.ask(check, question),
    }));
    const { lookout } = checked;
    const send = lookout.ports.queues.send.bind(lookout.ports.queues);
    const kept: AskChecks[] = [];
    Object.assign(lookout.ports.queues, {
      send: (sendings: Parameters<typeof send>[0]) => {
        for (const { command } of sendings) if (command.name === "AskChecks") kept.push(command);
        return send(sendings.filter(({ command }) => command.name !== "AskChecks"));
      },
    });
    const keys = [await trackApi(lookout), lookout.deploy({ name: "two", image: `${host}/shop/api:1.0.0` })];
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    expect(kept.map(({ workload }) => workload.name).sort()).toEqual(["api", "two"]);
    const both = kept.splice(0);
    Object.assign(lookout.ports.queues, { send });

    const [first, second] = both.map((command) => askChecks(command, lookout.ports));
    const loser = await Promise.race([first, second]);
    expect(loser).toEqual({ kind: "asked-elsewhere" });
    expect(replies).toHaveLength(1);
    replies[0]!({ kind: "answered", allow: true, reason: "", validFor: minutes(5) });
    isSlow = false;
    expect(await Promise.all([first, second])).toContainEqual({ kind: "asked", count: 1 });
    await lookout.pass(minutes(1));

    for (const key of keys) expect(lookout.image(key)).toContain("1.1.0");
    expect(checked.questions()).toEqual([]);
  });

  it("asks again after the claim of a run that ended without an answer", async () => {
    let crashes = 1;
    await using checked = await checkedWorld(undefined, (checks) => ({
      ask: (check, question) => {
        if (crashes === 0) return checks.ask(check, question);
        crashes -= 1;
        return Promise.reject(new Error("the process ended"));
      },
    }));
    const { lookout } = checked;
    const key = await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    expect(checked.questions()).toEqual([]);
    await lookout.pass(seconds(40));
    await lookout.reap();
    await lookout.pass(seconds(5));

    expect(checked.questions()).toHaveLength(1);
    expect(lookout.image(key)).toContain("1.1.0");
  });
});
