import { describe, expect, it } from "vitest";
import { keepNewest, blockRemoved, blockRemovedBeside, blockRemovedUpdate } from "#domain/update/decide/manual-change";
import type { BlockedDigest } from "#domain/update/state/workload";
import type { ContainerState } from "#domain/workload/observed";
import type { LiveContainer } from "#domain/workload/workload";
import {
  aChange,
  aContainer,
  aLiveContainer,
  anObserved,
  aPatched,
  aRecord,
  aRolling,
  aRolledBack,
  at,
  digest,
  image,
  installation,
  noon,
  imageName,
} from "../builders.ts";
import { updated } from "./looking.ts";
import { sideChange, sideLive } from "./planning.ts";
import { side } from "./proposing.ts";

const refused = (digit: string, tag: string, given: Partial<BlockedDigest> = {}): BlockedDigest => ({
  imageName,
  digest: digest(digit),
  tag,
  reason: "changed-by-hand",
  seq: 0,
  at: noon,
  ...given,
});
const elsewhere = (digit: string, tag: string, given: Partial<BlockedDigest> = {}) =>
  refused(digit, tag, { imageName: "registry.test/shop/side", ...given });

describe("the image that a user replaced", () => {
  const unpinned = { list: "containers", name: "app", image: image("1.0.0") } as const;
  /** What is refused once another image stands where Lookout saw this container last. */
  const after = (container: ContainerState, shown: readonly LiveContainer[]) =>
    blockRemoved(
      aRecord({ observed: anObserved({ containers: [container] }) }),
      aPatched(image("0.9.0"), { labels: {}, containers: shown }),
      installation,
      noon,
    );
  const another = [aLiveContainer({ image: image("0.9.0") })];

  it.each<{
    readonly container: ContainerState;
    readonly shown: readonly LiveContainer[];
    readonly blocked: readonly BlockedDigest[];
    readonly because: string;
  }>([
    {
      container: aContainer({ baseline: digest("8") }),
      shown: another,
      blocked: [refused("0", "1.0.0"), refused("8", "1.0.0")],
      because: "its pods and the registry said two digests of it",
    },
    {
      container: aContainer({ image: image("1.0.0", "0"), baseline: digest("8") }),
      shown: another,
      blocked: [refused("0", "1.0.0")],
      because: "it was pinned",
    },
    { container: unpinned, shown: another, blocked: [], because: "nobody knew its digest" },
    {
      container: aContainer({ image: `${imageName}@${digest("0")}` }),
      shown: [aLiveContainer({ image: `${imageName}@${digest("9")}` })],
      blocked: [refused("0", "")],
      because: "it had no tag",
    },
    {
      container: aContainer({ image: `${imageName}@${digest("0")}` }),
      shown: [aLiveContainer({ image: `${imageName}@${digest("0")}` })],
      blocked: [],
      because: "it still stands there without a tag",
    },
    {
      container: aContainer(),
      shown: [aLiveContainer({ image: "registry.test/other/app:1.0.0" })],
      blocked: [refused("0", "1.0.0")],
      because: "the same tag of another repository stands there",
    },
    {
      container: aContainer(),
      shown: [aLiveContainer({ image: "shop/UPPER" })],
      blocked: [refused("0", "1.0.0")],
      because: "something that can't be understood stands there",
    },
    { container: aContainer(), shown: [], blocked: [], because: "the container was removed" },
    {
      container: aContainer(),
      shown: [aLiveContainer({ name: "web", image: image("0.9.0") })],
      blocked: [],
      because: "the container was renamed",
    },
    {
      container: aContainer({ image: "shop/UPPER" }),
      shown: another,
      blocked: [],
      because: "nobody could understand what stood there",
    },
  ])("is blocked as $blocked, because $because", ({ container, shown, blocked }) => {
    expect(after(container, shown)).toEqual(blocked);
  });

  it("is not Lookout's if Lookout has observed another image since", () => {
    const since = updated({
      observed: anObserved({
        containers: [aContainer({ image: image("1.0.5"), digest: digest("5"), baseline: digest("5") })],
        updateLabel: "abc123-1",
      }),
    });

    expect(blockRemoved(since, aPatched(image("1.0.9")), installation, noon)).toEqual([
      refused("5", "1.0.5", { seq: 1 }),
    ]);
  });

  it("is not Lookout's if the label is another installation's", () => {
    const before = updated({ observed: anObserved() });
    const live = aPatched(image("1.0.5"), { labels: { "lookout.dev/update": "zzz999-1" } });

    expect(blockRemoved(before, live, installation, noon)).toEqual([refused("0", "1.0.0", { seq: 1 })]);
  });

  it("is Lookout's in that container alone", () => {
    const before = updated({ observed: anObserved({ containers: [aContainer(), side] }) });
    const live = aPatched(image("1.0.5"), {
      containers: [aLiveContainer({ image: image("1.0.5") }), { ...sideLive, image: sideChange.to }],
    });

    expect(blockRemoved(before, live, installation, noon)).toEqual([
      refused("1", "1.1.0", { seq: 1 }),
      elsewhere("4", "4.0.0", { seq: 1 }),
    ]);
  });

  it("stays blocked when the change is seen again", () => {
    const known = [refused("1", "1.1.0", { seq: 1 })];
    const later = at("2026-03-02T13:00:00Z");

    expect(blockRemovedUpdate(updated({ blocked: known }), aRolling(), aPatched(image("0.9.0")), later)).toEqual(known);
  });
});

describe("the other images that a user replaced during an update", () => {
  const third: ContainerState = { ...side, name: "third", digest: digest("6"), baseline: digest("6") };
  const record = aRecord({ seq: 1, observed: anObserved({ containers: [aContainer(), side, third] }) });
  const live = aPatched(image("0.9.0"), {
    containers: [
      aLiveContainer({ image: image("0.9.0") }),
      { ...sideLive, image: sideChange.to },
      { ...sideLive, index: 2, name: "third", image: sideChange.to },
    ],
  });
  const changes = [aChange(), sideChange];

  it("are blocked alone", () => {
    expect(blockRemovedBeside(record, aRolling({ changes }), live, noon)).toEqual([
      elsewhere("6", "4.0.0", { seq: 1 }),
    ]);
  });

  it("are all blocked after the update was rolled back", () => {
    expect(blockRemovedBeside(record, aRolledBack({ changes }), live, noon)).toEqual([
      refused("0", "1.0.0", { seq: 1 }),
      elsewhere("4", "4.0.0", { seq: 1 }),
      elsewhere("6", "4.0.0", { seq: 1 }),
    ]);
  });
});

describe("the blocked digests of a workload", () => {
  it("are the newest hundred", () => {
    const blocked = Array.from({ length: 101 }, (_, seq) => refused("1", "1.1.0", { seq }));

    expect(keepNewest(blocked).map(({ seq }) => seq)).toEqual(blocked.slice(1).map(({ seq }) => seq));
  });
});
