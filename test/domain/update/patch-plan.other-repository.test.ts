import { describe, expect, it } from "vitest";
import { aChange, aLive, aLiveContainer, aPatched, aReleased, aRollingBack, digest, image } from "../builders.ts";
import { back, forward } from "./planning.ts";

const released = (from: string, to: string) => aReleased({ changes: [aChange({ from, to })] });
const pin = `@${digest("1")}`;
const now = image("1.0.0");

describe("a patch", () => {
  it.each([
    { to: `registry.test/evil/miner:1.0.0${pin}`, because: "the path is another one" },
    { to: `evil.test/shop/app:1.1.0${pin}`, because: "the registry is another one" },
    { to: `registry.test:5000/shop/app:1.1.0${pin}`, because: "the port is another one" },
    { to: `registry.test/shop/app2:1.1.0${pin}`, because: "the path only begins alike" },
    { to: `shop/app:1.1.0${pin}`, because: "without a host it is Docker Hub's" },
    { to: "https://evil.test", because: "it is no image" },
    { to: "", because: "it is nothing" },
  ])("to $to is never sent: $because", ({ to }) => {
    expect(forward(released(now, to), aLive())).toEqual({
      kind: "other-repository",
      detail: `app: ${now} to ${to}`,
    });
    const rolling = aRollingBack({ changes: [aChange({ from: to })] });
    expect(back(rolling, aPatched())).toEqual({
      kind: "other-repository",
      detail: `app: ${image("1.1.0", "1")} to ${to}`,
    });
  });

  it.each([
    { from: now, to: image("1.1.0", "1"), because: "only tag and digest differ" },
    { from: "nginx:1.27", to: `nginx:1.28${pin}`, because: "both are of Docker Hub" },
    { from: "nginx:1.27", to: `docker.io/library/nginx:1.28${pin}`, because: "it is the same repository, spelled out" },
  ])("from $from to $to is sent: $because", ({ from, to }) => {
    const live = aLive({ containers: [aLiveContainer({ image: from })] });
    const observed = { containers: [{ list: "containers", name: "app", image: from }] } as const;
    const plan = forward(released(from, to), live, {
      observed: { annotations: live.annotations, sourceMarks: {}, ...observed },
    });

    expect(plan).toMatchObject({ kind: "patch", patch: { images: [{ from, to }] } });
  });

  it("may name the registry's own host for an alias, and no other host", () => {
    const from = "mirror.test/shop/app:1.0.0";
    const live = aLive({ containers: [aLiveContainer({ image: from, registry: "registry.test" })] });
    const planned = (to: string) =>
      forward(released(from, to), live, {
        observed: {
          annotations: live.annotations,
          sourceMarks: {},
          containers: [{ list: "containers", name: "app", image: from, registry: "registry.test" }],
        },
      }).kind;

    expect(planned(`mirror.test/shop/app:1.1.0${pin}`)).toBe("patch");
    expect(planned(`registry.test/shop/app:1.1.0${pin}`)).toBe("patch");
    expect(planned(`evil.test/shop/app:1.1.0${pin}`)).toBe("other-repository");
  });
});
